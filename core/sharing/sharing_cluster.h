// SharingCluster: the views of a large cluster (PlacedCluster; small_cluster.h has those of at most 32 views), which of them
// meet, and the groups that they form. No view outside a cluster can share a byte with a view in it, so find_sharing() works
// cluster by cluster. Views with equal sets form one class and are compared with others only once.
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

class SharingCluster {
 public:
  // Views must be sorted by extent begin; those with the same begin are reordered. Borrows views and axes until the next load().
  // Reuses its memory.
  void load(std::span<PlacedView> views, std::span<const Axis> pool);

  [[nodiscard]] std::span<const ViewClass> classes() const { return classes_; }  // sorted by extent begin
  [[nodiscard]] DisjointSets& connected() { return connected_; }                 // over indices into classes()

  // Calls visit(i, j) for every two classes whose extents meet, and visit(i, i) for every class of several views, always in the
  // same order, until it returns false. False: it did, or next_class() did, which is called before each class.
  template <class NextClass, class Visit>
  bool for_each_meeting(NextClass next_class, Visit visit);

  // Calls visit(view, view) for each two views of which the first is of class i and the second of class j (i == j: for each two
  // of that class), always in the same order; `most` of them at most. Returns how many.
  template <class Visit>
  std::uint64_t for_each_view_pair(std::uint32_t i, std::uint32_t j, std::uint64_t most, Visit visit) const;

  // How many pairs that visits if `most` is large enough.
  [[nodiscard]] std::uint64_t view_pairs(std::uint32_t i, std::uint32_t j) const {
    const std::uint64_t in_i = classes_[i].members.size();
    return i == j ? in_i * (in_i - 1) / 2 : in_i * classes_[j].members.size();
  }

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
  // A class that later ones may meet. Its end is repeated here because every later class compares with it.
  struct Active {
    Address end;
    std::uint32_t index;
  };

  void group_equal_views(std::span<PlacedView> same_begin);

  std::span<const Axis> pool_;
  std::vector<ViewClass> classes_;
  std::vector<NestedLevel> levels_;  // of all classes
  DisjointSets connected_;
  std::vector<Undecided> undecided_;
  std::vector<Active> active_;
};

template <class NextClass, class Visit>
bool SharingCluster::for_each_meeting(NextClass next_class, Visit visit) {
  active_.clear();
  for (std::uint32_t i = 0; i < classes_.size(); ++i) {
    if (!next_class()) return false;
    const Address begin = classes_[i].prepared.set.base;
    if (classes_[i].members.size() > 1 && !visit(i, i)) return false;
    std::erase_if(active_, [begin](const Active& other) { return other.end <= begin; });
    for (const Active& other : active_) {
      if (!visit(other.index, i)) return false;
    }
    active_.push_back({classes_[i].prepared.set.end(), i});
  }
  return true;
}

template <class Visit>
std::uint64_t SharingCluster::for_each_view_pair(std::uint32_t i, std::uint32_t j, std::uint64_t most, Visit visit) const {
  std::uint64_t pairs = 0;
  const std::span<const PlacedView> in_i = classes_[i].members, in_j = classes_[j].members;
  for (std::size_t first = 0; first < in_i.size(); ++first) {
    for (std::size_t second = i == j ? first + 1 : 0; second < in_j.size(); ++second) {
      if (pairs == most) return pairs;
      ++pairs;
      visit(in_i[first], in_j[second]);
    }
  }
  return pairs;
}

}  // namespace dlscope::core
