// The pairs of sets that no closed form settles at once: whichever exact method is expected to be cheapest.
#pragma once

#include <cstdint>

#include "core/sharing/prepared_set.h"

namespace dlscope::core {

// Bit-set words that take about the time of one step of the closed form.
inline constexpr std::uint64_t kWordsPerStep = 32;

// `window` is where both ranges meet; not empty. The closed form gets more steps here than at first where both have chains.
[[nodiscard]] SetOverlap hard_overlap(const PreparedSet& a, const PreparedSet& b, ByteRange window, const OverlapBudget& budget,
                                      std::uint64_t& spent);

// Always by bit sets of the whole window, built by doubling: the method that needs nothing of the sets but their axes.
// It judges the others in tests.
[[nodiscard]] SetOverlap overlap_by_bit_sets(const StridedSet& a, const StridedSet& b, const OverlapBudget& budget);

}  // namespace dlscope::core
