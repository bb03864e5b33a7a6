// A cluster: views of one space whose extents hang together. Nothing outside it can share a byte with anything in it,
// so find_sharing() works cluster by cluster. Inside, views with one address and one layout are one class, compared once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/sharing/disjoint_sets.h"
#include "core/sharing/prepared_view.h"
#include "core/sharing/sharing.h"
#include "core/sharing/work_budget.h"

namespace dlscope::core {

// Views that are equal in address and layout.
struct ViewClass {
  PreparedView prepared;                   // of the first member
  std::span<const std::uint32_t> members;  // positions in the caller's items
};

class SharingCluster {
 public:
  // Positions in `items`, by ascending extent begin. Borrows the items until the next load. Keeps its memory.
  void load(std::span<const SharingItem> items, std::span<const std::uint32_t> positions);

  [[nodiscard]] std::span<const ViewClass> classes() const { return classes_; }  // by ascending extent begin
  [[nodiscard]] DisjointSets& connected() { return connected_; }                 // of class numbers

  // Appends every pair with meeting extents until `out` holds max_pairs, and joins the classes found to share.
  // False: there are more pairs than that, or stopped; not all joins were made then.
  bool add_pairs(std::vector<SharingPair>& out, std::uint64_t max_pairs, WorkBudget& budget);

  // Pairs of classes that nobody could decide.
  struct Undecided {
    std::uint32_t first, second;
  };
  [[nodiscard]] std::span<const Undecided> undecided() const { return undecided_; }
  void add_undecided(std::uint32_t first, std::uint32_t second) { undecided_.push_back({first, second}); }
  void clear_undecided() { undecided_.clear(); }

 private:
  void group_equal_views(std::span<std::uint32_t> same_begin);
  bool add_pairs_within(const ViewClass& members, std::vector<SharingPair>& out, std::uint64_t max_pairs, WorkBudget& budget);
  bool add_pairs_between(const ViewClass& a, const ViewClass& b, const Overlap& overlap, std::vector<SharingPair>& out,
                         std::uint64_t max_pairs) const;

  std::span<const SharingItem> items_;
  std::vector<std::uint32_t> positions_;  // items by class
  std::vector<ViewClass> classes_;
  std::vector<Axis> axes_;  // of all classes
  DisjointSets connected_;
  std::vector<Undecided> undecided_;
  std::vector<std::uint32_t> active_;
};

}  // namespace dlscope::core
