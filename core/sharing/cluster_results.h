// ClusterResults: the second pass of find_sharing(). Goes over all clusters in the order of addresses, in parts on several
// threads, compares the views of small clusters, writes their pairs to their places, and appends the groups of all clusters.
// thread: one at a time; starts others.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "core/sharing/cluster_parts.h"
#include "core/sharing/large_clusters.h"
#include "core/sharing/pair_list.h"
#include "core/sharing/placed_items.h"
#include "core/sharing/sharing.h"
#include "core/sharing/small_cluster.h"
#include "core/sharing/work_budget.h"

namespace dlscope::core {

class ClusterResults {
 public:
  // Borrows all. `large`: its pairs have been written.
  ClusterResults(PlacedItems& placed, std::span<const ClusterPart> parts, const LargeClusters& large, WorkBudget& budget,
                 std::size_t threads)
      : placed_(placed), parts_(parts), large_(large), budget_(budget), threads_(threads) {}

  // Groups, members and what is unknown go to `out`, whose pairs are not touched. False: stopped, and some pairs have not been
  // written.
  [[nodiscard]] bool write(PairList& list, Sharing& out);

 private:
  // The outcome of a part whose pairs and groups have been written.
  struct PartResult {
    UnknownWhy missing_pairs = UnknownWhy::none, open_groups = UnknownWhy::none;
    std::uint64_t spent = 0;
    bool is_cut_short = false;  // stopped: some pairs have not been written
    bool needs_more = false;    // the part's budget did not (or hardly) suffice: its results are discarded and computed again
  };

  [[nodiscard]] PartResult write_within_share(const ClusterPart& part, SmallCluster& scratch, PairList& list, Sharing& out);
  [[nodiscard]] PartResult write_part(const ClusterPart& part, SmallCluster& scratch, WorkBudget& budget, PairList& list,
                                      Sharing& out) const;
  void write_small(const PlacedCluster& cluster, SmallCluster& scratch, WorkBudget& budget, PairList& list, Sharing& out,
                   PartResult& result) const;
  void write_single(const PlacedCluster& cluster, WorkBudget& budget, Sharing& out, PartResult& result) const;
  void fetch_ahead(const PlacedCluster& cluster, PairList& list) const;
  void write_in_turn(PairList& list, Sharing& out);
  void write_on_threads(std::size_t threads, PairList& list, Sharing& out);
  void accept(const PartResult& result, Sharing& out);

  PlacedItems& placed_;
  std::span<const ClusterPart> parts_;
  const LargeClusters& large_;
  WorkBudget& budget_;
  std::size_t threads_;
  OverlapBudget each_;             // of one pair, when write() began
  std::uint64_t work_of_part_ = 0;
  bool is_cut_short_ = false;
};

}  // namespace dlscope::core
