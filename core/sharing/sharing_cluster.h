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

class SharingCluster {
 public:
  // Views must be sorted by extent begin. Borrows views and axes until the next load(). Reuses its memory.
  void load(std::span<PlacedView> views, std::span<const Axis> pool);

  [[nodiscard]] std::span<const ViewClass> classes() const { return classes_; }  // sorted by extent begin
  [[nodiscard]] DisjointSets& connected() { return connected_; }                 // over indices into classes()

  // Appends every pair with meeting extents until `out` has max_pairs, and joins the classes that share bytes. False: there are
  // more pairs, or stopped; then not all classes that share bytes have been joined.
  bool add_pairs(FoundPairs& out, std::uint64_t max_pairs, WorkBudget& budget);

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
  bool add_pairs_within(const ViewClass& members, FoundPairs& out, std::uint64_t max_pairs, WorkBudget& budget);
  static bool add_pairs_between(const ViewClass& a, const ViewClass& b, FoundPairs& out, std::uint64_t max_pairs);

  std::span<const Axis> pool_;
  std::vector<ViewClass> classes_;
  std::vector<NestedLevel> levels_;  // of all classes
  DisjointSets connected_;
  std::vector<Undecided> undecided_;
  std::vector<std::uint32_t> active_;
};

}  // namespace dlscope::core
