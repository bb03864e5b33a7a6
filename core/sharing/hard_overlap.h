// Compares pairs of sets that no closed form decides at once, with the exact method that is expected to be cheapest.
#pragma once

#include <cstdint>

#include "core/sharing/prepared_set.h"

namespace dlscope::core {

// `window`: the intersection of the two ranges, not empty. If both sets are nested, the closed
// form is tried again with more steps than overlap() allowed it. Adds the cost to `spent`, in
// the unit of OverlapBudget::work. Unknown if everything is over budget, or stopped.
[[nodiscard]] SetOverlap hard_overlap(const PreparedSet& a, const PreparedSet& b, ByteRange window, const OverlapBudget& budget,
                                      std::uint64_t& spent);

// The general methods, which work for any axes; tests check the other methods against them: bit sets of the whole window
// (byte_set.h), and element_at() by search.
[[nodiscard]] SetOverlap overlap_by_bit_sets(const StridedSet& a, const StridedSet& b, const OverlapBudget& budget);
// By the row sweep (row_sweep.h); unknown if a set is in bits or a sweep is not possible.
[[nodiscard]] SetOverlap overlap_by_row_sweep(const StridedSet& a, const StridedSet& b, const OverlapBudget& budget);
[[nodiscard]] std::optional<std::uint64_t> element_by_search(const MemoryView& view, Address address,
                                                             const OverlapBudget& budget = {});

}  // namespace dlscope::core
