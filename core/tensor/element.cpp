#include "core/tensor/element.h"

#include <fmt/core.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <optional>

#include "core/tensor/float_layout.h"

namespace dlscope::core {
namespace {

static_assert(std::endian::native == std::endian::little, "elements are read in host byte order");

// Which bit patterns at the top of a binary float format's range are special.
enum class Specials : std::uint8_t {
  ieee,      // all-ones exponent: infinity and NaN
  fn,        // no infinity; all ones is NaN
  fnuz,      // no infinity, no negative zero: its pattern is the only NaN
  finite,    // none
  exponent,  // e8m0: no sign, no fraction, no zero; all ones is NaN
};

struct FloatFormat {
  unsigned exponent_bits, fraction_bits;
  int bias;
  Specials specials;
};

// Sources: the OCP 8-bit floating point and microscaling (MX) specifications;
// the ml_dtypes documentation for b11fnuz, fnuz, e3m4 and e4m3.
std::optional<FloatFormat> float_format(DType dtype) {
  switch (static_cast<DTypeCode>(dtype.code)) {
    case DTypeCode::float_:
    case DTypeCode::complex: {
      const unsigned bits = dtype.code == static_cast<std::uint8_t>(DTypeCode::complex) ? dtype.bits / 2u : dtype.bits;
      if (bits == 16) return FloatFormat{5, 10, 15, Specials::ieee};
      if (bits == 32) return FloatFormat{8, 23, 127, Specials::ieee};
      if (bits == 64) return FloatFormat{11, 52, 1023, Specials::ieee};
      return std::nullopt;
    }
    case DTypeCode::bfloat:
      return FloatFormat{8, 7, 127, Specials::ieee};
    case DTypeCode::float8_e3m4:
      return FloatFormat{3, 4, 3, Specials::ieee};
    case DTypeCode::float8_e4m3:
      return FloatFormat{4, 3, 7, Specials::ieee};
    case DTypeCode::float8_e4m3b11fnuz:
      return FloatFormat{4, 3, 11, Specials::fnuz};
    case DTypeCode::float8_e4m3fn:
      return FloatFormat{4, 3, 7, Specials::fn};
    case DTypeCode::float8_e4m3fnuz:
      return FloatFormat{4, 3, 8, Specials::fnuz};
    case DTypeCode::float8_e5m2:
      return FloatFormat{5, 2, 15, Specials::ieee};
    case DTypeCode::float8_e5m2fnuz:
      return FloatFormat{5, 2, 16, Specials::fnuz};
    case DTypeCode::float8_e8m0fnu:
      return FloatFormat{8, 0, 127, Specials::exponent};
    case DTypeCode::float6_e2m3fn:
      return FloatFormat{2, 3, 1, Specials::finite};
    case DTypeCode::float6_e3m2fn:
      return FloatFormat{3, 2, 3, Specials::finite};
    case DTypeCode::float4_e2m1fn:
      return FloatFormat{2, 1, 1, Specials::finite};
    default:
      return std::nullopt;
  }
}

struct Real {
  double value = 0;
  ValueClass value_class = ValueClass::normal;
};

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

bool is_nan(const FloatFormat& f, std::uint64_t exponent, std::uint64_t fraction, bool negative) {
  const std::uint64_t top = (std::uint64_t{1} << f.exponent_bits) - 1;
  const std::uint64_t ones = (std::uint64_t{1} << f.fraction_bits) - 1;
  switch (f.specials) {
    case Specials::ieee:
      return exponent == top && fraction != 0;
    case Specials::fn:
      return exponent == top && fraction == ones;
    case Specials::fnuz:
      return negative && exponent == 0 && fraction == 0;
    case Specials::exponent:
      return exponent == top;
    case Specials::finite:
      return false;
  }
  return false;
}

Real decode_real(const FloatFormat& f, std::uint64_t bits) {
  const std::uint64_t fraction = bits & ((std::uint64_t{1} << f.fraction_bits) - 1);
  const std::uint64_t exponent = bits >> f.fraction_bits & ((std::uint64_t{1} << f.exponent_bits) - 1);
  const bool negative = f.specials != Specials::exponent && (bits >> (f.fraction_bits + f.exponent_bits) & 1) != 0;
  if (is_nan(f, exponent, fraction, negative)) return {kNan, ValueClass::nan};
  if (f.specials == Specials::ieee && exponent == (std::uint64_t{1} << f.exponent_bits) - 1) {
    return negative ? Real{-kInfinity, ValueClass::negative_infinity} : Real{kInfinity, ValueClass::positive_infinity};
  }
  if (f.specials == Specials::exponent) return {std::ldexp(1.0, static_cast<int>(exponent) - f.bias), ValueClass::normal};
  const bool normal = exponent != 0;
  const double mantissa = static_cast<double>(fraction | (normal ? std::uint64_t{1} << f.fraction_bits : 0));
  const int power = (normal ? static_cast<int>(exponent) : 1) - f.bias - static_cast<int>(f.fraction_bits);
  const double magnitude = std::ldexp(mantissa, power);
  const ValueClass value_class = normal ? ValueClass::normal : fraction != 0 ? ValueClass::subnormal : ValueClass::zero;
  return {negative ? -magnitude : magnitude, value_class};
}

// The `width` (<= 64) bits that start at bit number `bit`; `bytes` must hold all of them.
std::uint64_t read_bits(std::span<const std::byte> bytes, std::size_t bit, unsigned width) {
  std::uint64_t value = 0;
  for (unsigned done = 0; done < width;) {
    const std::size_t at = (bit + done) / 8;
    const unsigned shift = static_cast<unsigned>((bit + done) % 8);
    const unsigned take = std::min(8 - shift, width - done);
    if (at >= bytes.size()) break;
    const std::uint64_t part = static_cast<std::uint64_t>(bytes[at]) >> shift & ((1u << take) - 1);
    value |= part << done;
    done += take;
  }
  return value;
}

int alarm(ValueClass c) {
  switch (c) {
    case ValueClass::nan:
      return 3;
    case ValueClass::positive_infinity:
    case ValueClass::negative_infinity:
      return 2;
    case ValueClass::subnormal:
      return 1;
    default:
      return 0;
  }
}

void decode_complex(DType dtype, std::span<const std::byte> bytes, std::size_t bit, Value& out) {
  const auto format = *float_format(dtype);
  const unsigned half = dtype.bits / 2u;
  const Real re = decode_real(format, read_bits(bytes, bit, half));
  const Real im = decode_real(format, read_bits(bytes, bit + half, half));
  out.kind = ValueKind::complex;
  out.real = re.value;
  out.imaginary = im.value;
  const Real& worse = alarm(im.value_class) > alarm(re.value_class) ? im : re;
  const bool both_zero = re.value_class == ValueClass::zero && im.value_class == ValueClass::zero;
  out.value_class = alarm(worse.value_class) > 0 ? worse.value_class : both_zero ? ValueClass::zero : ValueClass::normal;
}

void decode_integer(DType dtype, std::uint64_t bits, Value& out) {
  const bool is_signed = dtype.code == static_cast<std::uint8_t>(DTypeCode::int_);
  out.as_unsigned = bits;
  out.as_signed = static_cast<std::int64_t>(bits << (64u - dtype.bits)) >> (64u - dtype.bits);  // sign extension
  out.kind = is_signed ? ValueKind::signed_integer : ValueKind::unsigned_integer;
  if (dtype.code == static_cast<std::uint8_t>(DTypeCode::bool_)) out.kind = ValueKind::boolean;
  out.value_class = bits == 0 ? ValueClass::zero : ValueClass::normal;
}

// How many digits a value needs follows from the distance to its neighbours:
// the text suffices when no other value of the format is nearer to it.
std::string shortest(const FloatFormat& format, std::uint64_t bits, double value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value < 0 ? "-inf" : "inf";
  // In formats of 8 bits and fewer, neighbours lie so far apart that the shortest text would look like another number (448 as
  // 4e+02). Such values are written exactly: as a float64, because a float32's text of 2^29 is 536870900.
  if (format.fraction_bits == 52 || format.fraction_bits < 7) return fmt::format("{}", value);
  if (format.fraction_bits == 23) return fmt::format("{}", static_cast<float>(value));
  if (value == 0) return std::signbit(value) ? "-0.0" : "0.0";
  const Real up = decode_real(format, bits + 1);
  const Real down = decode_real(format, bits - 1);
  const double own = std::abs(value);
  for (int digits = 1; digits < 17; ++digits) {
    const double rounded = std::strtod(fmt::format("{:.{}g}", value, digits).c_str(), nullptr);
    const double error = std::abs(rounded - value);
    const auto nearer = [&](const Real& other) {
      return std::isfinite(other.value) && std::abs(std::abs(other.value) - own) <= 2 * error;
    };
    if (!nearer(up) && !nearer(down)) return fmt::format("{}", rounded);
  }
  return fmt::format("{}", value);
}

std::uint64_t raw_bits(const Value& value, unsigned from, unsigned width) { return read_bits(value.raw, from, width); }

std::string with_fraction(std::string text) {
  const bool plain = text.find_first_not_of("-0123456789") == std::string::npos;
  return plain ? text + ".0" : text;
}

std::string format_complex(DType dtype, const Value& value) {
  const auto format = *float_format(dtype);
  const unsigned half = dtype.bits / 2u;
  const std::string re = with_fraction(shortest(format, raw_bits(value, 0, half), value.real));
  std::string im = with_fraction(shortest(format, raw_bits(value, half, half), value.imaginary));
  if (im[0] != '-') im.insert(0, "+");
  return re + im + "j";
}

std::string hex_bits(DType dtype, const Value& value) {
  const std::size_t bytes = std::min<std::size_t>((dtype.bits + 7u) / 8u, value.raw.size());
  std::string out = "0x";
  for (std::size_t i = bytes; i-- > 0;) out += fmt::format("{:02x}", static_cast<unsigned>(value.raw[i]));
  return out;
}

std::string binary(std::uint64_t bits, unsigned width) { return width ? fmt::format("{:0{}b}", bits, width) : std::string(); }

}  // namespace

Value decode_element(DType dtype, std::span<const std::byte> bytes, std::size_t bit_offset, unsigned lane) {
  Value out;
  const std::size_t bit = bit_offset + std::size_t{lane} * dtype.bits;
  for (unsigned done = 0; done < dtype.bits && done / 8 < out.raw.size(); done += 8) {
    out.raw[done / 8] = static_cast<std::byte>(read_bits(bytes, bit + done, std::min(8u, dtype.bits - done)));
  }
  if (!dtype_is_known(dtype)) return out;
  const auto code = static_cast<DTypeCode>(dtype.code);
  if (code == DTypeCode::complex) {
    decode_complex(dtype, bytes, bit, out);
  } else if (const auto format = float_format(dtype)) {
    const Real real = decode_real(*format, read_bits(bytes, bit, dtype.bits));
    out.kind = ValueKind::real;
    out.real = real.value;
    out.value_class = real.value_class;
  } else if (code == DTypeCode::int_ || code == DTypeCode::uint || code == DTypeCode::bool_) {
    decode_integer(dtype, read_bits(bytes, bit, dtype.bits), out);
  }
  return out;
}

std::optional<FloatLayout> float_layout(DType dtype) {
  const auto format = dtype_is_known(dtype) ? float_format(dtype) : std::nullopt;
  if (!format) return std::nullopt;
  return FloatLayout{format->exponent_bits, format->fraction_bits, format->bias, format->specials != Specials::exponent,
                     format->specials == Specials::ieee};
}

std::string format_value(DType dtype, const Value& value) {
  switch (value.kind) {
    case ValueKind::bits:
      return hex_bits(dtype, value);
    case ValueKind::boolean:
      if (value.as_unsigned > 1) return fmt::format("True (byte {})", value.as_unsigned);
      return value.as_unsigned ? "True" : "False";
    case ValueKind::signed_integer:
      return fmt::format("{}", value.as_signed);
    case ValueKind::unsigned_integer:
      return fmt::format("{}", value.as_unsigned);
    case ValueKind::real:
      return with_fraction(shortest(*float_format(dtype), raw_bits(value, 0, dtype.bits), value.real));
    case ValueKind::complex:
      return format_complex(dtype, value);
  }
  return {};
}

std::string format_bits(DType dtype, const Value& value) {
  if (value.kind == ValueKind::bits) return hex_bits(dtype, value);
  if (value.kind == ValueKind::real) {
    const auto format = *float_format(dtype);
    const std::uint64_t bits = raw_bits(value, 0, dtype.bits);
    const std::uint64_t exponent = bits >> format.fraction_bits & ((std::uint64_t{1} << format.exponent_bits) - 1);
    const std::string tail =
        format.fraction_bits ? " " + binary(bits & ((std::uint64_t{1} << format.fraction_bits) - 1), format.fraction_bits) : "";
    if (format.specials == Specials::exponent) return binary(exponent, format.exponent_bits);
    return binary(bits >> (format.fraction_bits + format.exponent_bits) & 1, 1) + " " + binary(exponent, format.exponent_bits) +
           tail;
  }
  std::string out;
  for (unsigned from = dtype.bits; from > 0;) {
    const unsigned width = from % 4 ? from % 4 : 4;
    from -= width;
    out += (out.empty() ? "" : " ") + binary(raw_bits(value, from, width), width);
  }
  return out;
}

}  // namespace dlscope::core
