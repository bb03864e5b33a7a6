#include "core/reduce/number_rows.h"

#include <cmath>
#include <cstring>
#include <limits>

#include "core/base/magnitude.h"
#include "core/reduce/column_kernels.h"
#include "core/statistics/value_summary.h"
#include "core/tensor/element.h"

namespace dlscope::core {
namespace {

bool is_integer(DType dtype) {
  const auto code = static_cast<DTypeCode>(dtype.code);
  return code == DTypeCode::int_ || code == DTypeCode::uint || code == DTypeCode::bool_;
}

// NaN before infinity, as a complex value is classified everywhere (core/tensor/element.h).
double magnitude_or_nan(double real, double imaginary) {
  if (std::isnan(real) || std::isnan(imaginary)) return std::numeric_limits<double>::quiet_NaN();
  const double squares = real * real + imaginary * imaginary;
  if (squares > 1e-280 && squares < 1e280) return std::sqrt(squares);
  return magnitude(real, imaginary);
}

template <class T>
const T* as(const std::byte* raw) {
  return reinterpret_cast<const T*>(raw);
}

}  // namespace

bool fits_float(DType dtype) {
  switch (static_cast<DTypeCode>(dtype.code)) {
    case DTypeCode::complex:
      return false;
    case DTypeCode::int_:
    case DTypeCode::uint:
      return dtype.bits <= 16;
    case DTypeCode::bool_:
      return dtype.bits == 8;
    default:
      return dtype.bits <= 32;
  }
}

NumberRows::NumberRows(DType dtype, SignBits signs)
    : dtype_{dtype.code, dtype.bits, 1},
      value_bytes_((dtype.bits + 7u) / 8u),
      negates_(signs.negate && static_cast<DTypeCode>(dtype.code) != DTypeCode::complex),
      fit_float_(fits_float(dtype)) {
  const bool table = dtype.bits < 8 || (dtype.bits == 8 && !is_integer(dtype));
  if (!table) return;
  of_code_.resize(std::size_t{1} << dtype.bits);
  for (std::size_t code = 0; code < of_code_.size(); ++code) {
    const auto byte = static_cast<std::byte>(code);
    of_code_[code] = static_cast<float>(Number::of(decode_element(dtype_, {&byte, 1}, 0)).as_double());
  }
}

const std::byte* NumberRows::meant(const std::byte* raw, std::size_t count) {
  if (!negates_) return raw;
  meant_.assign(raw, raw + count * value_bytes_);
  apply_sign_bits(dtype_, {.negate = true}, meant_);
  return meant_.data();
}

const float* NumberRows::floats(const std::byte* raw, std::size_t count) {
  raw = meant(raw, count);
  if (static_cast<DTypeCode>(dtype_.code) == DTypeCode::float_ && dtype_.bits == 32) return as<float>(raw);
  if (floats_.size() < count) floats_.resize(count);
  float* const out = floats_.data();
  if (!of_code_.empty()) {
    for (std::size_t i = 0; i < count; ++i) out[i] = of_code_[std::to_integer<std::size_t>(raw[i]) & (of_code_.size() - 1)];
    return out;
  }
  const ColumnKernels& kernels = column_kernels();
  const bool is_signed = static_cast<DTypeCode>(dtype_.code) == DTypeCode::int_;
  switch (static_cast<DTypeCode>(dtype_.code)) {
    case DTypeCode::float_:
      kernels.widen_f16(as<std::uint16_t>(raw), count, out);
      break;
    case DTypeCode::bfloat:
      kernels.widen_bf16(as<std::uint16_t>(raw), count, out);
      break;
    case DTypeCode::bool_:
      kernels.widen_bool(as<std::uint8_t>(raw), count, out);
      break;
    default:
      if (dtype_.bits == 8 && is_signed) kernels.widen_i8(as<std::int8_t>(raw), count, out);
      if (dtype_.bits == 8 && !is_signed) kernels.widen_u8(as<std::uint8_t>(raw), count, out);
      if (dtype_.bits == 16 && is_signed) kernels.widen_i16(as<std::int16_t>(raw), count, out);
      if (dtype_.bits == 16 && !is_signed) kernels.widen_u16(as<std::uint16_t>(raw), count, out);
  }
  return out;
}

const double* NumberRows::doubles(const std::byte* raw, std::size_t count) {
  raw = meant(raw, count);
  const auto code = static_cast<DTypeCode>(dtype_.code);
  if (code == DTypeCode::float_ && dtype_.bits == 64) return as<double>(raw);
  if (doubles_.size() < count) doubles_.resize(count);
  double* const out = doubles_.data();
  const ColumnKernels& kernels = column_kernels();
  if (code == DTypeCode::complex) {
    decode_complex(raw, count);
  } else if (code == DTypeCode::int_ && dtype_.bits == 32) {
    kernels.widen_i32(as<std::int32_t>(raw), count, out);
  } else if (code == DTypeCode::uint && dtype_.bits == 32) {
    kernels.widen_u32(as<std::uint32_t>(raw), count, out);
  } else if (code == DTypeCode::int_ && dtype_.bits == 64) {
    kernels.widen_i64(as<std::int64_t>(raw), count, out);
  } else if (code == DTypeCode::uint && dtype_.bits == 64) {
    kernels.widen_u64(as<std::uint64_t>(raw), count, out);
  } else {  // a width that is rare
    for (std::size_t i = 0; i < count; ++i)
      out[i] = Number::of(decode_element(dtype_, {raw + i * value_bytes_, value_bytes_}, 0)).as_double();
  }
  return out;
}

void NumberRows::decode_complex(const std::byte* raw, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i, raw += value_bytes_) {
    if (dtype_.bits == 64) {
      float parts[2];
      std::memcpy(parts, raw, sizeof parts);
      doubles_[i] = magnitude_or_nan(static_cast<double>(parts[0]), static_cast<double>(parts[1]));
    } else if (dtype_.bits == 128) {
      double parts[2];
      std::memcpy(parts, raw, sizeof parts);
      doubles_[i] = magnitude_or_nan(parts[0], parts[1]);
    } else {
      const Value value = decode_element(dtype_, {raw, value_bytes_}, 0);
      doubles_[i] = magnitude_or_nan(value.real, value.imaginary);
    }
  }
}

}  // namespace dlscope::core
