// A small cluster: few views of one space whose extents hang together, all compared with all. The usual case by far, so
// its memory is reused, and its pairs are written once, straight into their final place.
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
  static constexpr std::size_t kMostViews = 32;

  // How many pairs of these views have meeting extents; each is added to `pairs_of_rank` at the lower one's rank.
  // Views by ascending rank, at most kMostViews.
  static std::uint64_t count_pairs(std::span<const PlacedView> views, std::span<std::uint32_t> pairs_of_rank);

  // Borrows views and axes until the next load. Views by ascending rank.
  void load(std::span<const PlacedView> views, std::span<const Axis> pool);

  // Writes the pairs that count_pairs() counted, from pairs[first_of_rank[lower rank]] on.
  void write_pairs(std::span<SharingPair> pairs, std::span<const std::uint32_t> first_of_rank, WorkBudget& budget);

  // Appends the groups, by ascending begin. After write_pairs().
  void add_groups(SpaceId space, Sharing& out, WorkBudget& budget);

  [[nodiscard]] bool has_undecided() const { return !undecided_.empty(); }
  // Whether a pair that nobody could decide may connect two groups.
  [[nodiscard]] bool has_open_groups();

 private:
  [[nodiscard]] SetOverlap compare(std::size_t i, std::size_t j, WorkBudget& budget);
  [[nodiscard]] std::uint8_t root(std::uint8_t i) const;
  void join(std::uint8_t i, std::uint8_t j);
  [[nodiscard]] std::uint64_t bytes_of_group(std::uint8_t root, WorkBudget& budget);

  std::span<const PlacedView> views_;
  std::array<PreparedSet, kMostViews> sets_;
  std::array<std::uint8_t, kMostViews> first_equal_;  // the lowest view that is the same
  std::array<std::uint8_t, kMostViews> parent_;       // union-find
  bool has_equal_ = false;
  std::vector<NestedLevel> levels_;  // of all sets
  std::vector<SetOverlap> known_;    // of first_equal x first_equal, where views are equal
  std::vector<std::uint8_t> is_known_;
  std::vector<std::uint16_t> undecided_;  // i * kMostViews + j
  std::vector<const PreparedSet*> group_sets_;
};

}  // namespace dlscope::core
