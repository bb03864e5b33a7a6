// LargeClusters: the part of find_sharing() that works on clusters of many views, and on those whose pairs may not all fit into
// the list. Several clusters at a time, so that together they have enough pairs for several threads.
// thread: one at a time; starts others.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>
#include <vector>

#include "core/sharing/placed_items.h"
#include "core/sharing/sharing.h"
#include "core/sharing/sharing_cluster.h"
#include "core/sharing/work_budget.h"

namespace dlscope::core {

class LargeClusters {
 public:
  // Borrows the budget. threads: as SharingLimits::threads.
  LargeClusters(WorkBudget& budget, std::size_t threads) : budget_(budget), listed_(found_, budget, threads) {}
  LargeClusters(const LargeClusters&) = delete;
  LargeClusters& operator=(const LargeClusters&) = delete;

  // Lists the cluster's pairs, as long as all clusters together have at most `max_pairs`. Sorts its views, which must stay where
  // they are until finish(). Returns the number of groups_of().
  std::size_t add(const PlacedCluster& cluster, std::span<PlacedView> views, std::span<const Axis> axes, std::uint64_t max_pairs);
  // Compares what is still to be compared. Call it after the last add(). The functions below need it.
  void finish();

  [[nodiscard]] FoundPairs& found() { return found_; }  // of all clusters, in the order in which they were found
  [[nodiscard]] const Sharing& groups_of(std::size_t number) const { return groups_[number]; }  // groups and members only
  [[nodiscard]] UnknownWhy missing_pairs() const { return missing_pairs_; }
  [[nodiscard]] UnknownWhy open_groups() const { return open_groups_; }

 private:
  struct Loaded {
    SpaceId space;
    SharingCluster* views;
    bool all_listed;  // all its pairs
  };

  void compare_loaded();
  [[nodiscard]] UnknownWhy stopped_or(UnknownWhy why) const { return budget_.stopped() ? UnknownWhy::stopped : why; }

  WorkBudget& budget_;
  FoundPairs found_;
  ListedPairs listed_;
  std::vector<Loaded> loaded_;       // listed, and not compared yet
  std::deque<SharingCluster> pool_;  // of which each keeps its memory for the next clusters
  std::vector<Sharing> groups_;
  UnknownWhy missing_pairs_ = UnknownWhy::none, open_groups_ = UnknownWhy::none;
};

}  // namespace dlscope::core
