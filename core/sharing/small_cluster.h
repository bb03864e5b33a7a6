// SmallCluster: finds pairs and groups in a cluster (PlacedCluster) of at most 32 views, by comparing all with all. By far the
// usual case; therefore its memory is reused, and each pair is written once, directly to its final place.
// thread: one at a time.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/sharing/placed_view.h"
#include "core/sharing/prepared_set.h"
#include "core/sharing/sharing.h"
#include "core/sharing/work_budget.h"

namespace dlscope::core {

class SmallCluster {
 public:
  static constexpr std::size_t kMaxViews = 32;

  // Counts the pairs of these views with meeting extents, in total and in `pairs_of_rank`, by the rank of the lower view. Views
  // must be sorted by rank, at most kMaxViews of them.
  static std::uint64_t count_pairs(std::span<const PlacedView> views, std::span<std::uint32_t> pairs_of_rank);

  // Borrows views and axes until the next load(). Views must be sorted by rank.
  void load(std::span<const PlacedView> views, std::span<const Axis> pool);

  // Writes the pairs that count_pairs() counted; those with a lower rank r from pairs[first_of_rank[r]] on.
  void write_pairs(std::span<SharingPair> pairs, std::span<const std::uint32_t> first_of_rank, WorkBudget& budget);

  // Appends the groups, sorted by begin. Call after write_pairs().
  void add_groups(SpaceId space, Sharing& out, WorkBudget& budget);

  [[nodiscard]] bool has_undecided() const { return !undecided_.empty(); }
  // Whether an undecided pair may connect two groups.
  [[nodiscard]] bool has_open_groups();

 private:
  [[nodiscard]] SetOverlap compare(std::size_t i, std::size_t j, WorkBudget& budget);
  [[nodiscard]] std::uint8_t root(std::uint8_t i) const;
  void join(std::uint8_t i, std::uint8_t j);
  [[nodiscard]] std::uint64_t bytes_of_group(std::uint8_t root, WorkBudget& budget);

  std::span<const PlacedView> views_;
  std::array<PreparedSet, kMaxViews> sets_;
  std::array<std::uint8_t, kMaxViews> first_equal_;  // the lowest view with an equal set
  std::array<std::uint8_t, kMaxViews> parent_;       // union-find
  bool has_equal_ = false;
  std::vector<NestedLevel> levels_;  // of all sets
  std::vector<SetOverlap> known_;    // results by (first_equal, first_equal), if some views are equal
  std::vector<std::uint8_t> is_known_;
  std::vector<std::uint16_t> undecided_;  // i * kMaxViews + j
  std::vector<const PreparedSet*> group_sets_;
};

}  // namespace dlscope::core
