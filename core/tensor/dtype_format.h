// Converts dtype strings of the older protocols to DLPack dtypes: struct-module format characters (buffer protocol, PEP 3118) and
// typestrs (array interfaces). Only single numbers in native byte order. Pure; thread: any.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/base/result.h"
#include "core/tensor/dtype.h"

namespace dlscope::core {

// "d", "<f", "@l", "Zd"; "" means "B". item_bytes: the exporter's item size, which decides the width.
// Fails (unsupported) with the reason: structures, chars, pointers, foreign byte order.
[[nodiscard]] Result<DType> dtype_of_format(std::string_view format, std::int64_t item_bytes);

// "<f4", "|u1", "=c16".
[[nodiscard]] Result<DType> dtype_of_typestr(std::string_view typestr);

// Wider than 64 bits, and not the IEEE format that DLPack's floats have: 80 bits in 16 bytes, say. The functions above name it all the
// same, because a record may contain one; an array of it is described like what else DLPack has no dtype for.
[[nodiscard]] constexpr bool is_long_double(DType dtype) {
  return dtype.code == static_cast<std::uint8_t>(DTypeCode::float_) && dtype.bits > 64;
}
inline constexpr const char* kLongDoubleRefused = "a long double is in no format that DLPack has a dtype for";

// The inverse. "": the protocol has no format for it: bfloat16, packed types, several lanes.
[[nodiscard]] std::string format_of_dtype(DType dtype);
// Raw bytes ("|V2") for whole-byte types without their own typestr, as ml_dtypes arrays do; "" for packed types.
[[nodiscard]] std::string typestr_of_dtype(DType dtype);

}  // namespace dlscope::core
