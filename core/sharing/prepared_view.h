// What overlap() works on once a view is normalised, for callers that compare one view many times.
#pragma once

#include <cstdint>
#include <optional>

#include "core/sharing/overlap.h"
#include "core/sharing/strided_set.h"

namespace dlscope::core {

// Borrows the view, and whatever the set borrows.
struct PreparedView {
  const MemoryView* view = nullptr;
  StridedSet set;
  // The element that contains the lowest byte, where it is known already: most witnesses are somebody's lowest byte.
  std::uint64_t lowest_number = 0;
  bool knows_lowest = false;
};

// The functions below add to `spent` what they cost, in the unit of OverlapBudget::work. Closed forms
// are tried, and counted, whatever the budget.

// As overlap(); the views are normalised already.
[[nodiscard]] Overlap overlap_of(const PreparedView& a, const PreparedView& b, const OverlapBudget& budget, std::uint64_t& spent);

// The relation and the count without the witness' element numbers: Witness::a_flat and b_flat stay 0.
[[nodiscard]] Overlap overlap_of_sets(const StridedSet& a, const StridedSet& b, const OverlapBudget& budget,
                                      std::uint64_t& spent);

// As distinct_bytes().
[[nodiscard]] std::optional<std::uint64_t> count_bytes(const StridedSet& set, const OverlapBudget& budget, std::uint64_t& spent);

// As element_at(), with the answer in `number` instead of an optional, which costs as much as the search.
[[nodiscard]] bool find_element(const MemoryView& view, Address address, const OverlapBudget& budget, std::uint64_t& number,
                                std::uint64_t& spent);

}  // namespace dlscope::core
