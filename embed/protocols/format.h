// dtype words of the older protocols turned into DLPack numbers: a struct-module format character (buffer protocol,
// PEP 3118) and a typestr (array interfaces). Only single numbers in the machine's own byte order are numbers here.
// Pure: no Python.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/base/result.h"
#include "core/tensor/dtype.h"

namespace dlscope::embed {

// "d", "<f", "@l", "Zd"; "" means "B". item_bytes is the exporter's item size and decides the width.
// Fails (unsupported) with the reason: structures, chars, pointers, foreign byte order.
[[nodiscard]] core::Result<core::DType> dtype_of_format(std::string_view format, std::int64_t item_bytes);

// "<f4", "|u1", "=c16".
[[nodiscard]] core::Result<core::DType> dtype_of_typestr(std::string_view typestr);

// The inverse. "" where the protocol has no word: bfloat16, packed types, several lanes.
[[nodiscard]] std::string format_of_dtype(core::DType dtype);
// Raw bytes ("|V2") for whole-byte types without a word of their own, as ml_dtypes arrays say; "" for packed types.
[[nodiscard]] std::string typestr_of_dtype(core::DType dtype);

}  // namespace dlscope::embed
