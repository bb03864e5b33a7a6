// A large cluster: views of one space whose extents hang together. Nothing outside it can share a byte with anything in it,
// so find_sharing() works cluster by cluster (small ones: small_cluster.h). Inside, views with equal sets are one class, compared
// once.
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

// Pairs found in any order. What one class has with another is kept once, however many members they have.
struct FoundPairs {
  struct Entry {
    std::uint64_t ranks;      // lower << 32 | higher
    std::uint32_t overlap;    // index into overlaps, which are told from the side of `first`
    std::uint32_t first : 1;  // 0: the lower rank is first
  };
  std::vector<Entry> entries;
  std::vector<SetOverlap> overlaps;
};

class SharingCluster {
 public:
  // Views by ascending extent begin. Borrows views and axes until the next load. Keeps its memory.
  void load(std::span<PlacedView> views, std::span<const Axis> pool);

  [[nodiscard]] std::span<const ViewClass> classes() const { return classes_; }  // by ascending extent begin
  [[nodiscard]] DisjointSets& connected() { return connected_; }                 // of class numbers

  // Appends every pair with meeting extents until `out` holds max_pairs, and joins the classes found to share.
  // False: there are more pairs than that, or stopped; not all joins were made then.
  bool add_pairs(FoundPairs& out, std::uint64_t max_pairs, WorkBudget& budget);

  // Pairs of classes that nobody could decide.
  struct Undecided {
    std::uint32_t first, second;
  };
  [[nodiscard]] std::span<const Undecided> undecided() const { return undecided_; }
  void add_undecided(std::uint32_t first, std::uint32_t second) { undecided_.push_back({first, second}); }
  void clear_undecided() { undecided_.clear(); }

  // Appends the groups, by ascending begin.
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
