#include "core/sharing/sharing_groups.h"

#include <algorithm>
#include <cstddef>
#include <numeric>

#include "core/sharing/costs.h"
#include "core/sharing/joint_window.h"
#include "core/sharing/residue_clusters.h"
#include "core/sharing/run_list.h"
#include "core/sharing/stop_watch.h"

namespace dlscope::core {
namespace {

// Comparisons after which painting (see ComponentFinder) is tried instead: well below a second.
constexpr std::uint64_t kMaxTests = std::uint64_t{1} << 21;
// Units that may be painted for one cluster.
constexpr std::uint64_t kMaxPainted = std::uint64_t{1} << 28;

constexpr std::uint64_t kMaxCovered = std::uint64_t{1} << 62;  // so that a sum of two still fits

// An interval covered by connected dense views. Two dense views share a byte exactly if their extents meet.
struct DenseStretch {
  ByteRange range;
  std::uint32_t owner;  // one of its classes
};

class ComponentFinder {
 public:
  ComponentFinder(SharingCluster& cluster, WorkBudget& budget)
      : cluster_(cluster), classes_(cluster.classes()), connected_(cluster.connected()), budget_(budget) {}

  bool run() {
    join_dense();
    if (join_by_tests()) return true;
    return !budget_.stopped() && paint();
  }

 private:
  const StridedSet& set(std::uint32_t i) const { return classes_[i].prepared.set; }

  void join_dense() {
    for (std::uint32_t i = 0; i < classes_.size(); ++i) {
      if (!set(i).dense()) continue;
      const ByteRange range = set(i).range();
      if (!dense_.empty() && range.begin < dense_.back().range.end) {
        dense_.back().range.end = std::max(dense_.back().range.end, range.end);
        connected_.join(dense_.back().owner, i);
      } else {
        dense_.push_back({range, i});
      }
    }
    connected_to_.resize(dense_.size());
    std::iota(connected_to_.begin(), connected_to_.end(), std::uint32_t{0});
  }

  // False: too much work, or stopped.
  bool join_by_tests() {
    for (std::uint32_t i = 0; i < classes_.size(); ++i) {
      if (!set(i).dense() && !join_with_dense(i)) return false;
    }
    return join_the_rest();
  }

  bool join_with_dense(std::uint32_t i) {
    const ByteRange range = set(i).range();
    auto stretch = std::ranges::upper_bound(dense_, range.begin, {}, [](const DenseStretch& d) { return d.range.end; });
    for (; stretch != dense_.end() && stretch->range.begin < range.end; ++stretch) {
      if (!connected_.joined(i, stretch->owner) && !meets_dense(i, *stretch)) return false;
      if (connected_.joined(i, stretch->owner)) stretch = dense_.begin() + last_connected(stretch - dense_.begin());
    }
    return true;
  }

  // Joins class i with the stretch, whose extent its own one meets, if they share a byte. False: too much work.
  bool meets_dense(std::uint32_t i, const DenseStretch& stretch) {
    const ByteRange range = set(i).range();
    if (stretch.range.begin <= range.begin && range.end <= stretch.range.end) {
      connected_.join(i, stretch.owner);
      return true;
    }
    const Axis run{1, stretch.range.size()};
    const NestedLevel level{nullptr, 1, run.count, run.count, run.count};
    const PreparedSet dense{{.base = stretch.range.begin, .axes = {&run, 1}, .span = run.count, .nested = true}, &level};
    return test(i, stretch.owner, classes_[i].prepared, dense);
  }

  // The last of the consecutive stretches from this one on that are all connected. Whether neighbours are is found out once: many
  // views may lie over many such stretches.
  std::ptrdiff_t last_connected(std::ptrdiff_t stretch) {
    auto last = static_cast<std::uint32_t>(stretch);
    for (;;) {
      while (connected_to_[last] != last) last = connected_to_[last] = connected_to_[connected_to_[last]];
      if (last + 1 == dense_.size() || !connected_.joined(dense_[last].owner, dense_[last + 1].owner)) return last;
      connected_to_[last] = last + 1;
    }
  }

  // Adds to the work done; false when it is too much, or stopped.
  bool test(std::uint32_t i, std::uint32_t j, const PreparedSet& a, const PreparedSet& b) {
    if (++tests_ > kMaxTests || budget_.stopped()) return false;
    const SetOverlap overlap = budget_.compare(a, b);
    if (!overlap.known())
      cluster_.add_undecided(i, j);
    else if (overlap.shared_bytes > 0)
      connected_.join(i, j);
    return true;
  }

  // Classes known to be connected, which later views can still meet.
  struct Component {
    std::vector<std::uint32_t> members;
    Address end = 0;
  };

  // For classes that are not dense: divides them by residue, if that separates most of them.
  bool join_the_rest() {
    std::vector<std::uint32_t> rest;
    for (std::uint32_t i = 0; i < classes_.size(); ++i) {
      if (!set(i).dense()) rest.push_back(i);
    }
    std::vector<ResidueSpan> spans;
    const std::uint64_t modulus = residues_of(rest, spans);
    if (modulus == 0) return join_by_extents(rest);
    for (const std::span<const std::uint32_t> meeting : clusters_of_residues(spans, modulus, rest)) {
      if (!join_by_extents(meeting)) return false;
    }
    return true;
  }

  // Computes the residues of each class modulo the common divisor of all
  // outer strides. Returns the divisor, or 0 if a class has all residues.
  std::uint64_t residues_of(std::span<const std::uint32_t> members, std::vector<ResidueSpan>& spans) const {
    std::uint64_t modulus = 0;
    for (const std::uint32_t i : members) {
      const NestedLevel* const top = classes_[i].prepared.top;
      if (top == nullptr) return 0;
      modulus = std::gcd(modulus, top->stride);
    }
    spans.reserve(members.size());
    for (const std::uint32_t i : members) {
      const std::uint64_t length = classes_[i].prepared.top->inner->span;
      if (length >= modulus) return 0;
      spans.push_back({set(i).base % modulus, length, i});
    }
    return modulus;
  }

  // Members must be sorted by begin. False: too much work, or stopped.
  bool join_by_extents(std::span<const std::uint32_t> members) {
    if (members.size() < 2) return true;
    std::vector<Component> active;
    for (const std::uint32_t i : members) {
      std::erase_if(active, [&](const Component& c) { return c.end <= set(i).base; });
      for (Component& component : active) {
        if (!meets_component(i, component)) return false;
      }
      file(i, active);
    }
    return true;
  }

  // Joins class i with the component if they share a byte. False: too much work. Members that end before class i begins, and so
  // before all later ones begin, are dropped when they are met: each only once.
  bool meets_component(std::uint32_t i, Component& component) {
    std::vector<std::uint32_t>& members = component.members;
    if (connected_.joined(i, members.front())) return true;
    for (std::size_t at = 0; at < members.size();) {
      const std::uint32_t j = members[at];
      if (set(j).end() <= set(i).base) {
        members[at] = members.back();
        members.pop_back();
        continue;
      }
      if (!test(i, j, classes_[i].prepared, classes_[j].prepared)) return false;
      if (connected_.joined(i, j)) return true;
      ++at;
    }
    return true;
  }

  // Merges class i and all components that it shares bytes with into one.
  void file(std::uint32_t i, std::vector<Component>& active) {
    Component* home = nullptr;
    for (Component& component : active) {
      if (component.members.empty() || !connected_.joined(i, component.members.front())) continue;
      if (home == nullptr) {
        home = &component;
        continue;
      }
      if (home->members.size() < component.members.size()) std::swap(home->members, component.members);
      home->members.insert(home->members.end(), component.members.begin(), component.members.end());
      home->end = std::max(home->end, component.end);
      component.members.clear();
      component.end = 0;
    }
    if (home == nullptr) home = &active.emplace_back();
    home->members.push_back(i);
    home->end = std::max(home->end, set(i).end());
    std::erase_if(active, [](const Component& c) { return c.members.empty(); });
  }

  // Painting, for many views that interleave without sharing: instead of comparing all with all, writes into every unit of memory
  // which class covers it. Costs as much as the sum of the views' sizes.
  bool paint() {
    std::uint64_t unit = 0;
    std::uint64_t covered = 0;
    ByteRange hull = set(0).range();
    for (const ViewClass& c : classes_) {
      const StridedSet& s = c.prepared.set;
      unit = std::gcd(std::gcd(unit, unit_of(s)), s.base - hull.begin);
      hull.end = std::max(hull.end, s.end());
      if (s.dense()) continue;
      const std::uint64_t runs = tuple_count(s.axes.subspan(1));
      if (runs > kMaxRuns) return false;
      const std::uint64_t run_bytes = s.in_bytes() ? s.axes.front().count : s.axes.front().count / 8 + 2;
      std::uint64_t bytes = 0;
      if (__builtin_mul_overflow(runs, run_bytes, &bytes)) bytes = s.range().size();
      covered += std::min(s.range().size(), bytes);
      if (covered / unit > kMaxPainted || covered > kMaxCovered) return false;
    }
    const std::uint64_t units = hull.size() / unit;
    if (units > kMaxPainted || units > budget_.now().scratch_bytes / sizeof(std::uint32_t) || budget_.left() == 0) return false;

    budget_.spend(units + covered / unit);
    return paint_units(hull, unit, units);
  }

  // False: stopped.
  bool paint_units(ByteRange hull, std::uint64_t unit, std::uint64_t units) {
    constexpr std::uint32_t kNoOwner = ~std::uint32_t{0};
    constexpr std::size_t kUnitsPerLook = std::size_t{1} << 17;
    constexpr std::uint64_t kStepsPerUnit = 4;
    StopWatch watch(budget_.now().stop);
    std::vector<std::uint32_t> owner;
    owner.reserve(units);
    while (owner.size() < units) {
      if (!watch.go_on(kUnitsPerLook)) return false;
      owner.resize(std::min<std::size_t>(units, owner.size() + kUnitsPerLook), kNoOwner);
    }
    const auto paint_range = [&](ByteRange range, std::uint32_t i) {
      for (std::uint64_t at = (range.begin - hull.begin) / unit; at < (range.end - hull.begin) / unit; ++at) {
        if (!watch.go_on(kStepsPerUnit)) return false;
        if (owner[at] == kNoOwner)
          owner[at] = i;
        else if (owner[at] != i)
          connected_.join(owner[at], i);
      }
      return true;
    };
    for (const DenseStretch& stretch : dense_) {
      if (!paint_range(stretch.range, stretch.owner)) return false;
    }
    for (std::uint32_t i = 0; i < classes_.size(); ++i) {
      if (set(i).dense()) continue;
      const auto list = list_runs(set(i), set(i).range(), budget_.now().stop);
      if (!list) return false;
      for (const ByteRange run : *list) {
        if (!paint_range(run, i)) return false;
      }
    }
    cluster_.clear_undecided();  // painting decides everything
    return true;
  }

  SharingCluster& cluster_;
  std::span<const ViewClass> classes_;
  DisjointSets& connected_;
  WorkBudget& budget_;
  std::vector<DenseStretch> dense_;
  std::vector<std::uint32_t> connected_to_;  // by stretch: a later one, or itself, up to which all are known to be connected
  std::uint64_t tests_ = 0;
};

}  // namespace

bool connect_all(SharingCluster& cluster, WorkBudget& budget) { return ComponentFinder(cluster, budget).run(); }

}  // namespace dlscope::core
