// SharingCluster: finds pairs and groups in a large cluster (PlacedCluster; small_cluster.h has those of at most 32 views). No
// view outside a cluster can share a byte with a view in it, so find_sharing() works cluster by cluster. Views with equal sets
// form one class and are compared with others only once.
// thread: one at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/sharing/disjoint_sets.h"
#include "core/sharing/placed_view.h"
#include "core/sharing/prepared_set.h"
#include "core/sharing/set_comparisons.h"
#include "core/sharing/sharing.h"
#include "core/sharing/work_budget.h"

namespace dlscope::core {

// Views with equal sets.
struct ViewClass {
  PreparedSet prepared;
  std::span<const PlacedView> members;
};

// Pairs in the order in which they were found. The overlap of two classes is stored once, however many members they have.
struct FoundPairs {
  struct Entry {
    std::uint64_t ranks;      // lower << 32 | higher
    std::uint32_t overlap;    // index into `overlaps`
    std::uint32_t first : 1;  // 0: the overlap is that of the lower to the higher rank; 1: the other way round
  };
  std::vector<Entry> entries;
  std::vector<SetOverlap> overlaps;
};

class SharingCluster;

// Pairs of `found` that are still to be compared, of one cluster or of several: enough for several threads.
class ListedPairs {
 public:
  ListedPairs(FoundPairs& found, WorkBudget& budget, std::size_t threads) : found_(found), budget_(budget), threads_(threads) {}

  // Adds an overlap to `found`, which compare() fills in. Returns its index. The cluster must stay where it is until then.
  std::size_t add(SharingCluster& cluster, std::uint32_t first_class, std::uint32_t second_class);
  [[nodiscard]] bool full() const;
  [[nodiscard]] bool stopped() const { return budget_.stopped(); }
  // Compares all, and tells the clusters. False: stopped; then what was listed is no longer in `found`.
  bool compare();

  [[nodiscard]] FoundPairs& found() { return found_; }

 private:
  struct Classes {
    SharingCluster* cluster;
    std::uint32_t first, second;
  };
  FoundPairs& found_;
  WorkBudget& budget_;
  std::size_t threads_;
  std::vector<SetPair> pairs_;
  std::vector<Classes> classes_;
  std::size_t compared_entries_ = 0;  // of `found`
};

class SharingCluster {
 public:
  // Views must be sorted by extent begin. Borrows views and axes until the next load(). Reuses its memory.
  void load(std::span<PlacedView> views, std::span<const Axis> pool);

  [[nodiscard]] std::span<const ViewClass> classes() const { return classes_; }  // sorted by extent begin
  [[nodiscard]] DisjointSets& connected() { return connected_; }                 // over indices into classes()

  // Lists every pair with meeting extents until there are max_pairs in all, and compares them when many have been listed. False:
  // there are more pairs, or stopped.
  bool list_pairs(ListedPairs& listed, std::uint64_t max_pairs);
  // Joins the classes if they share bytes.
  void accept(std::uint32_t first, std::uint32_t second, const SetOverlap& overlap);

  // Pairs of classes whose overlap is unknown.
  struct Undecided {
    std::uint32_t first, second;
  };
  [[nodiscard]] std::span<const Undecided> undecided() const { return undecided_; }
  void add_undecided(std::uint32_t first, std::uint32_t second) { undecided_.push_back({first, second}); }
  void clear_undecided() { undecided_.clear(); }

  // Appends the groups, sorted by begin.
  void add_groups(SpaceId space, Sharing& out, WorkBudget& budget);

 private:
  void group_equal_views(std::span<PlacedView> same_begin);
  static bool list_pairs_within(const ViewClass& members, std::size_t overlap, FoundPairs& out, std::uint64_t max_pairs);
  static bool list_pairs_between(const ViewClass& a, const ViewClass& b, std::size_t overlap, FoundPairs& out,
                                 std::uint64_t max_pairs);

  std::span<const Axis> pool_;
  std::vector<ViewClass> classes_;
  std::vector<NestedLevel> levels_;  // of all classes
  DisjointSets connected_;
  std::vector<Undecided> undecided_;
  std::vector<std::uint32_t> active_;
};

}  // namespace dlscope::core
