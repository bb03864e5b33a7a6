// What the bit patterns of a float format are to a comparison: which are NaN, and how many numbers lie between two of them.
// Pure; thread: any.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "core/compare/compare_kernels.h"
#include "core/tensor/dtype.h"

namespace dlscope::core {

// The patterns of NaN, less the sign where it does not matter; nullopt: there are none. Not of integers. Of a complex dtype: of a part.
[[nodiscard]] std::optional<PatternRange> nan_patterns(DType dtype);

// Steps from one number of the format to the next, between two values of a float dtype; of a complex one the more of its two parts. 0 and
// -0 are one number. 0 where one of them is not finite.
[[nodiscard]] std::uint64_t steps_between(DType dtype, const std::byte* a, const std::byte* b);

// Of a float format of at most 8 bits, by pattern: which number it is, counted from zero; kNoPlace where it is not finite.
inline constexpr int kNoPlace = std::numeric_limits<int>::max();
[[nodiscard]] std::vector<int> places_of(DType dtype);

}  // namespace dlscope::core
