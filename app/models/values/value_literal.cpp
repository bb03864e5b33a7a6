#include "app/models/values/value_literal.h"

#include <fmt/core.h>

#include <cmath>
#include <string_view>

#include "app/models/values/value_format.h"

namespace dlscope::app {
namespace {

using core::DTypeCode;
using core::Value;
using core::ValueKind;

bool is_code(core::DType dtype, DTypeCode code) { return dtype.code == static_cast<std::uint8_t>(code); }

std::string with_fraction(std::string text) {
  return text.find_first_not_of("-0123456789") == std::string::npos ? text + ".0" : text;
}

// Exactly this number, as by Python's repr.
std::string exact_double(double value) { return with_fraction(fmt::format("{}", value)); }

std::string special(double value, CopyFormat format) {
  const bool negative = value < 0;
  const bool nan = std::isnan(value);
  switch (format) {
    case CopyFormat::python:
      return nan ? "float('nan')" : negative ? "float('-inf')" : "float('inf')";
    case CopyFormat::numpy:
      return nan ? "np.nan" : negative ? "-np.inf" : "np.inf";
    case CopyFormat::c:
      return nan ? "NAN" : negative ? "-INFINITY" : "INFINITY";
    default:
      return nan ? "nan" : negative ? "-inf" : "inf";
  }
}

// One real number. shortest: its text in its own dtype; wide: C calls it double.
std::string real_literal(double value, const std::string& shortest, bool wide, CopyFormat format) {
  if (!std::isfinite(value)) return special(value, format);
  if (format == CopyFormat::python) return exact_double(value);
  if (format != CopyFormat::c) return shortest;
  return wide ? exact_double(value) : with_fraction(fmt::format("{}", static_cast<float>(value))) + "f";
}

// NumPy's own floats read back the shortest text; ml_dtypes types get the exact number, because they round twice.
std::string shortest_real(core::DType dtype, const Value& value, CopyFormat format) {
  const bool own = is_code(dtype, DTypeCode::float_);
  return format == CopyFormat::numpy && !own ? exact_double(value.real) : core::format_value(dtype, value);
}

std::string complex_literal(core::DType dtype, const Value& value, CopyFormat format) {
  const bool wide = dtype.bits > 64;
  const auto part = [&](double number) {
    const std::string shortest = with_fraction(wide ? fmt::format("{}", number) : fmt::format("{}", static_cast<float>(number)));
    return real_literal(number, shortest, wide, format);
  };
  if (format == CopyFormat::csv || format == CopyFormat::text) return core::format_value(dtype, value);
  const std::string re = part(value.real), im = part(value.imaginary);
  if (format == CopyFormat::c) return fmt::format("{}({}, {})", wide ? "CMPLX" : "CMPLXF", re, im);
  // a+bj is an addition, which loses the sign of a zero and makes NaN of an infinity.
  const auto adds_up = [](double number) { return std::isfinite(number) && !(number == 0 && std::signbit(number)); };
  if (!adds_up(value.real) || !adds_up(value.imaginary)) return fmt::format("complex({}, {})", re, im);
  return fmt::format("{}{}{}j", re, im.front() == '-' ? "" : "+", im);
}

std::string integer_literal(core::DType dtype, const Value& value, CopyFormat format) {
  const std::string text = core::format_value(dtype, value);
  if (format != CopyFormat::c) return text;
  if (value.kind == ValueKind::unsigned_integer) return dtype.bits == 64 ? text + "ULL" : dtype.bits == 32 ? text + "U" : text;
  if (dtype.bits == 64) return value.as_signed == INT64_MIN ? "(-9223372036854775807LL - 1)" : text + "LL";
  return dtype.bits == 32 && value.as_signed == INT32_MIN ? "(-2147483647 - 1)" : text;
}

// escape: what stands before a quote inside; if that is a backslash, before a backslash, too.
std::string in_quotes(const std::string& text, char quote, std::string_view escape) {
  std::string out(1, quote);
  for (const char c : text) {
    if (c == quote || (c == '\\' && escape == "\\")) out += escape;
    out += c;
  }
  return out + quote;
}

}  // namespace

const char* copy_format_name(CopyFormat format) {
  switch (format) {
    case CopyFormat::python:
      return "Python";
    case CopyFormat::numpy:
      return "NumPy";
    case CopyFormat::c:
      return "C";
    case CopyFormat::csv:
      return "CSV";
    case CopyFormat::text:
      return "text";
  }
  return "";
}

std::string value_literal(core::DType dtype, const Value& value, CopyFormat format) {
  switch (value.kind) {
    case ValueKind::real:
      return real_literal(value.real, shortest_real(dtype, value, format), dtype.bits == 64, format);
    case ValueKind::complex:
      return complex_literal(dtype, value, format);
    case ValueKind::signed_integer:
    case ValueKind::unsigned_integer:
      return integer_literal(dtype, value, format);
    case ValueKind::boolean:
      if (format == CopyFormat::c) return value.as_unsigned != 0 ? "true" : "false";
      return value.as_unsigned != 0 ? "True" : "False";
    case ValueKind::bits:
      break;
  }
  return core::format_value(dtype, value);
}

std::string numpy_dtype(core::DType dtype) {
  if (!core::dtype_is_known(dtype)) {
    const bool whole = dtype.bits == 8 || dtype.bits == 16 || dtype.bits == 32 || dtype.bits == 64;
    return whole ? fmt::format("np.uint{}", dtype.bits) : std::string();
  }
  if (is_code(dtype, DTypeCode::bool_)) return "np.bool_";
  if (is_code(dtype, DTypeCode::complex) && dtype.bits == 32) return "np.complex64";
  const bool own = (is_code(dtype, DTypeCode::int_) || is_code(dtype, DTypeCode::uint))
                       ? dtype.bits >= 8
                       : is_code(dtype, DTypeCode::float_) || is_code(dtype, DTypeCode::complex);
  const bool foreign_integer = !own && dtype.code <= 1 && dtype.bits == 1;
  if (foreign_integer) return dtype.code == 0 ? "np.int8" : "np.uint8";
  return (own ? "np." : "ml_dtypes.") + core::dtype_name({dtype.code, dtype.bits, 1});
}

std::string element_literal(const core::TensorNumbers& numbers, std::span<const std::byte> piece, std::size_t bit,
                            CopyFormat format, core::SignBits signs) {
  const core::DType dtype = numbers.dtype;
  const auto lane_text = [&](unsigned lane) {
    return value_literal(dtype, with_sign_bits(dtype, numbers.decode(piece, bit, lane), signs), format);
  };
  if (dtype.lanes == 1) return lane_text(0);
  if (format == CopyFormat::csv || format == CopyFormat::text) {
    const std::string text = element_text(dtype, piece, bit, {}, signs).text;
    return format == CopyFormat::csv ? "\"" + text + "\"" : text;
  }
  std::string out = format == CopyFormat::c ? "{" : "[";
  for (unsigned lane = 0; lane < dtype.lanes && bit + (lane + std::size_t{1}) * dtype.bits <= piece.size() * 8; ++lane) {
    if (lane > 0) out += ", ";
    out += lane_text(lane);
  }
  return out + (format == CopyFormat::c ? "}" : "]");
}

std::string quoted_literal(const std::string& shown, CopyFormat format) {
  switch (format) {
    case CopyFormat::python:
    case CopyFormat::numpy:
      return shown.starts_with('\'') || shown.starts_with("b'") ? shown : in_quotes(shown, '\'', "\\");
    case CopyFormat::c:
      return in_quotes(shown, '"', "\\");
    case CopyFormat::csv:
      return shown.find_first_of(",\"\n") == std::string::npos ? shown : in_quotes(shown, '"', "\"");
    case CopyFormat::text:
      break;
  }
  return shown;
}

const char* unreadable_literal(CopyFormat format) {
  switch (format) {
    case CopyFormat::c:
      return "0 /* unreadable */";
    case CopyFormat::csv:
      return "";
    case CopyFormat::text:
      return "?";
    default:
      return "None";
  }
}

}  // namespace dlscope::app
