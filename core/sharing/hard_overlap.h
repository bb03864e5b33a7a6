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

// The general path, which needs nothing of the views but their axes, and judges the other methods in tests: bit sets of the
// whole window, built by doubling, and element_at() by search.
[[nodiscard]] SetOverlap overlap_by_bit_sets(const StridedSet& a, const StridedSet& b, const OverlapBudget& budget);
// By the row sweep, where it is possible for sets in bytes; else unknown.
[[nodiscard]] SetOverlap overlap_by_row_sweep(const StridedSet& a, const StridedSet& b, const OverlapBudget& budget);
[[nodiscard]] std::optional<std::uint64_t> element_by_search(const MemoryView& view, Address address,
                                                             const OverlapBudget& budget = {});

}  // namespace dlscope::core
