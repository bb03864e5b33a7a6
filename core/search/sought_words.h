// The words that a search is for: bit patterns in ranges, as search_kernels.h compares them. Pure functions; thread: any.
#pragma once

#include <array>
#include <optional>

#include "core/search/search_kernels.h"
#include "core/tensor/dtype.h"

namespace dlscope::core {

// Of an IEEE 754 float: the words that are equal to it. NaN, and 0, are matched by their magnitudes.
[[nodiscard]] WordRanges words_of_part(DType dtype, double wanted);

// hits: for each byte, whether it matches. Those of the lowest `bits` bits that match; nullopt: they are more than two ranges, or the
// other bits matter.
[[nodiscard]] std::optional<WordRanges> ranges_of_bytes(const std::array<bool, 256>& hits, unsigned bits);

}  // namespace dlscope::core
