// Converts contiguous elements from one dtype to another. Values that the
// target can represent are converted exactly; the rules for all others are:
//   to a float        rounded to nearest, ties to even; too large becomes infinity if the type has one, else NaN if it has one
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

struct ConvertKernels;

// Why there is no conversion between these dtypes; "" if there is one.
[[nodiscard]] std::string why_not_convertible(DType from, DType to);

// Converts `count` contiguous elements, starting at the lowest bit of `source` and of `target`; sub-byte types are packed as in
// DLPack. Needs why_not_convertible() == "". Source and target must not overlap.
void convert_elements(DType from, const std::byte* source, DType to, std::byte* target, std::uint64_t count);

// The same without vector loops: the conversions that have none, and what the tests compare the loops with.
void convert_one_by_one(DType from, const std::byte* source, DType to, std::byte* target, std::uint64_t count);
// The same with these loops. False: they have none for the pair, and nothing was written.
[[nodiscard]] bool convert_with(const ConvertKernels& kernels, DType from, const std::byte* source, DType to, std::byte* target,
                                std::uint64_t count);

}  // namespace dlscope::core
