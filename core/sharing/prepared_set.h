// Views in normal form, ready to be compared, for callers that compare one view with many others.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "core/sharing/nested_overlap.h"
#include "core/sharing/overlap.h"
#include "core/sharing/strided_set.h"

namespace dlscope::core {

// Borrows the axes and the levels.
struct PreparedSet {
  StridedSet set;
  const NestedLevel* top = nullptr;  // the chain of a nested set in bytes; null for every other set
};

// A PreparedSet with storage for its axes and levels. Refers to its own storage, so it can be neither copied nor moved. The
// storage is left uninitialised on purpose, as in AxisStorage.
class PreparedView {
 public:
  explicit PreparedView(const MemoryView& view) {
    prepared_.set = bytes_of(view, axes_);
    if (prepared_.set.nested && prepared_.set.in_bytes()) prepared_.top = chain_levels(prepared_.set.axes, levels_.data());
  }
  PreparedView(const PreparedView&) = delete;
  PreparedView& operator=(const PreparedView&) = delete;

  [[nodiscard]] const PreparedSet& get() const { return prepared_; }

 private:
  PreparedSet prepared_;
  AxisStorage axes_;
  std::array<NestedLevel, kMaxRank + 1> levels_;
};

// An Overlap without element indices and without optionals, which would take a third of the time of a usual comparison.
struct SetOverlap {
  std::uint64_t shared_bytes = 0;  // meaningless if relation is unknown
  Address witness = 0;             // the lowest shared address; meaningless if no byte is shared
  Relation relation = Relation::disjoint;
  OverlapMethod method = OverlapMethod::extent;
  UnknownWhy why = UnknownWhy::none;

  [[nodiscard]] bool known() const { return relation != Relation::unknown; }
  [[nodiscard]] bool shares() const { return known() && shared_bytes > 0; }
};

// What a method found in the intersection of the two ranges.
struct CommonOfSets {
  std::uint64_t count = 0;
  Address lowest = 0;
  bool is_all_of_a = false;
  bool is_all_of_b = false;
};
[[nodiscard]] inline SetOverlap nothing_shared(OverlapMethod method) {
  return {.relation = Relation::interleaved, .method = method};
}
[[nodiscard]] inline SetOverlap shared_by(OverlapMethod method, const CommonOfSets& common) {
  if (common.count == 0) return nothing_shared(method);
  const Relation relation = common.is_all_of_a   ? common.is_all_of_b ? Relation::identical : Relation::contained
                            : common.is_all_of_b ? Relation::contains
                                                 : Relation::overlaps;
  return {.shared_bytes = common.count, .witness = common.lowest, .relation = relation, .method = method};
}
// The result of a method that gave up: it was asked to stop, or else its work was over the budget.
[[nodiscard]] inline SetOverlap unknown_overlap(OverlapMethod method, const std::stop_token& stop) {
  return {.relation = Relation::unknown,
          .method = method,
          .why = stop.stop_requested() ? UnknownWhy::stopped : UnknownWhy::over_budget};
}

// The functions below add their cost to `spent`, in the unit of OverlapBudget::work. Closed forms are tried, and their cost is
// added, even if the budget is used up.

// As overlap().
[[nodiscard]] SetOverlap overlap_of_sets(const PreparedSet& a, const PreparedSet& b, const OverlapBudget& budget,
                                         std::uint64_t& spent);

// As distinct_bytes().
[[nodiscard]] std::optional<std::uint64_t> count_bytes(const StridedSet& set, const OverlapBudget& budget, std::uint64_t& spent);
// The same if a formula gives it, without a budget; else nullopt.
[[nodiscard]] inline std::optional<std::uint64_t> count_bytes_if_nested(const StridedSet& set) {
  if (set.empty() || !set.in_bytes() || !set.nested) return std::nullopt;
  return tuple_count(set.axes);
}

// As element_at(): writes the index to `number` and returns true if there
// is an element. Not an optional, which would take as long as the search.
[[nodiscard]] bool find_element(const MemoryView& view, Address address, const OverlapBudget& budget, std::uint64_t& number,
                                std::uint64_t& spent);

}  // namespace dlscope::core
