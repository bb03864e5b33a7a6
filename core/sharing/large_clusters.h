// LargeClusters: the part of find_sharing() that works on clusters of many views, and on those whose pairs may not all fit into
// the list. It sweeps over the extents of each cluster twice in the same order: first to count the pairs, then to compare them,
// in batches that are large enough for several threads, and to write them at their places.
// thread: one at a time; starts others.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>
#include <vector>

#include "core/sharing/pair_list.h"
#include "core/sharing/placed_items.h"
#include "core/sharing/set_comparisons.h"
#include "core/sharing/sharing.h"
#include "core/sharing/sharing_cluster.h"
#include "core/sharing/work_budget.h"

namespace dlscope::core {

class LargeClusters {
 public:
  // Borrows all. Reorders views with the same begin. threads: as SharingLimits::threads.
  LargeClusters(PlacedItems& placed, WorkBudget& budget, std::size_t threads)
      : placed_(placed), budget_(budget), threads_(threads) {}
  LargeClusters(const LargeClusters&) = delete;
  LargeClusters& operator=(const LargeClusters&) = delete;

  // Counts the cluster's pairs, of which at most `max_pairs` are to be listed, by rank of the lower view. Sets cluster.large.
  // Returns how many pairs will be listed.
  std::uint64_t count_pairs(PlacedCluster& cluster, std::uint64_t max_pairs, std::span<std::uint32_t> pairs_of_rank);
  // Compares the pairs of all clusters that were counted, writes them, and finds the groups. Stopped: writes no more pairs. The
  // functions below need it.
  void write_pairs(PairList& list);

  [[nodiscard]] const Sharing& groups_of(std::size_t number) const { return groups_[number]; }  // groups and members only
  [[nodiscard]] UnknownWhy missing_pairs() const { return missing_pairs_; }
  [[nodiscard]] UnknownWhy open_groups() const { return open_groups_; }
  [[nodiscard]] bool is_cut_short() const { return is_cut_short_; }  // stopped: some pairs have not been written

 private:
  struct Counted {
    PlacedCluster cluster;
    std::uint64_t listed;  // pairs
    bool all_listed;
  };
  // Two classes to be compared, and how many pairs of their views to write.
  struct Meeting {
    SharingCluster* cluster;
    std::uint32_t first, second, pairs;
  };

  [[nodiscard]] SharingCluster& loaded(std::size_t number);
  void write_clusters(std::size_t first, std::size_t last, PairList& list);
  [[nodiscard]] bool add_to_batch(SharingCluster& cluster, std::uint64_t listed, PairList& list);
  [[nodiscard]] bool compare_batch(PairList& list);
  void finish(const Counted& counted, SharingCluster& views, bool compared);
  void sort_pairs(PairList& list) const;
  [[nodiscard]] UnknownWhy stopped_or(UnknownWhy why) const { return budget_.stopped() ? UnknownWhy::stopped : why; }

  PlacedItems& placed_;
  WorkBudget& budget_;
  std::size_t threads_;
  std::vector<Counted> clusters_;
  std::deque<SharingCluster> pool_;     // number modulo kLargeAtOnce; each keeps its memory for the next cluster
  std::vector<std::size_t> in_pool_;    // by place in pool_: the number of the cluster that is loaded there
  std::vector<std::uint32_t> next_;     // by rank: where the next pair is written
  std::vector<Meeting> batch_;
  std::vector<SetPair> sets_;           // of the batch
  std::vector<SetOverlap> overlaps_;    // of the batch
  std::vector<Sharing> groups_;
  UnknownWhy missing_pairs_ = UnknownWhy::none, open_groups_ = UnknownWhy::none;
  bool is_cut_short_ = false;
};

}  // namespace dlscope::core
