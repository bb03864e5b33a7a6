// Bit patterns of float formats: which are NaN, and how many ULPs lie between two of them.
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

// The patterns of NaN, without the sign bit if the format ignores it there; nullopt: the format has no NaN. dtype: a float or
// complex one; for complex, the patterns of a part.
[[nodiscard]] std::optional<PatternRange> nan_patterns(DType dtype);

// The ULP distance of two values of a float dtype; for complex, the larger one of the two parts. 0 and -0 have distance 0. 0 if
// either is not finite.
[[nodiscard]] std::uint64_t steps_between(DType dtype, const std::byte* a, const std::byte* b);

// For a float format of at most 8 bits: the signed ULP distance of each pattern from zero; kNoPlace if it is not finite.
inline constexpr int kNoPlace = std::numeric_limits<int>::max();
[[nodiscard]] std::vector<int> places_of(DType dtype);

}  // namespace dlscope::core
