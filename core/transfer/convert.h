// Elements of one dtype written as another, both side by side. What is exact stays exact; what is not is decided here, once:
//   to a float        rounded to nearest, ties to even; too large becomes infinity where the type has one, else NaN where it has one
//                     (float8 fn and fnuz), else the largest number (float6, float4)
//   float to integer  towards zero; what does not fit becomes the nearest that does; NaN becomes 0
//   between integers  what does not fit becomes the nearest that does
//   to bool           whether it is not zero (NaN is not)
//   to complex        with an imaginary part of 0; complex to anything else is refused: it would drop the imaginary part
// thread: any.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "core/tensor/dtype.h"

namespace dlscope::core {

// Why there is no conversion from one to the other, in words; "" where there is one.
[[nodiscard]] std::string why_not_convertible(DType from, DType to);

// `count` elements from the lowest bit of `source` on, packed sub-byte types as DLPack packs them. Needs why_not_convertible() == "".
void convert_elements(DType from, const std::byte* source, DType to, std::byte* target, std::uint64_t count);

}  // namespace dlscope::core
