#include "core/sharing/sharing_cluster.h"

#include <algorithm>
#include <utility>

#include "core/sharing/union_bytes.h"

namespace dlscope::core {
namespace {

std::uint64_t hash_of(const PlacedView& view, std::span<const Axis> pool) {
  std::uint64_t hash = view.extent.end ^ view.unit_bits ^ view.phase;
  for (const Axis& axis : view.axes(pool)) {
    for (const std::uint64_t number : {axis.stride, axis.count}) {
      hash = (hash ^ number) * 0x9e3779b97f4a7c15u;
      hash ^= hash >> 29;
    }
  }
  return hash;
}

}  // namespace

void SharingCluster::load(std::span<PlacedView> views, std::span<const Axis> pool) {
  pool_ = pool;
  classes_.clear();
  undecided_.clear();
  for (std::size_t first = 0; first < views.size();) {
    const Address begin = views[first].extent.begin;
    std::size_t last = first + 1;
    while (last < views.size() && views[last].extent.begin == begin) ++last;
    group_equal_views(views.subspan(first, last - first));
    first = last;
  }
  std::size_t levels = 0;
  for (const ViewClass& c : classes_) levels += c.prepared.set.axes.size();
  levels_.resize(levels);
  std::size_t used = 0;
  for (ViewClass& c : classes_) {
    const StridedSet& set = c.prepared.set;
    c.prepared.top = set.nested && set.in_bytes() ? chain_levels(set.axes, &levels_[used]) : nullptr;
    used += set.axes.size();
  }
  connected_.reset(classes_.size());
}

void SharingCluster::group_equal_views(std::span<PlacedView> same_begin) {
  const auto add_class = [&](std::span<const PlacedView> members) {
    classes_.push_back({{members.front().set(pool_), nullptr}, members});
  };
  if (same_begin.size() == 1) return add_class(same_begin);
  struct Hashed {
    std::uint64_t hash;
    PlacedView view;
  };
  std::vector<Hashed> hashed;
  hashed.reserve(same_begin.size());
  for (const PlacedView& view : same_begin) hashed.push_back({hash_of(view, pool_), view});
  std::ranges::sort(hashed, {}, [](const Hashed& h) { return std::pair(h.hash, h.view.rank); });
  for (std::size_t i = 0; i < hashed.size(); ++i) same_begin[i] = hashed[i].view;
  for (std::size_t first = 0; first < hashed.size();) {
    // Equal sets may lie apart if different sets have the same hash; that only makes one more class.
    std::size_t last = first + 1;
    while (last < hashed.size() && hashed[last].hash == hashed[first].hash &&
           same_set(same_begin[first], same_begin[last], pool_)) {
      ++last;
    }
    add_class(same_begin.subspan(first, last - first));
    first = last;
  }
}

void SharingCluster::accept(std::uint32_t first, std::uint32_t second, const SetOverlap& overlap) {
  if (first == second) return;
  if (!overlap.known())
    add_undecided(first, second);
  else if (overlap.shared_bytes > 0)
    connected_.join(first, second);
}

void SharingCluster::add_groups(SpaceId space, Sharing& out, WorkBudget& budget) {
  // Sorts classes by group, and groups by their lowest class, which means by begin.
  std::vector<std::uint64_t> by_group(classes_.size());
  for (std::uint32_t i = 0; i < classes_.size(); ++i) by_group[i] = std::uint64_t{connected_.find(i)} << 32 | i;
  std::ranges::sort(by_group);
  std::vector<const PreparedSet*> sets;
  for (std::size_t first = 0; first < by_group.size();) {
    sets.clear();
    SharingGroup group{{~Address{0}, 0}, 0, static_cast<std::uint32_t>(out.members.size()), 0, space};
    std::size_t i = first;
    for (; i < by_group.size() && by_group[i] >> 32 == by_group[first] >> 32; ++i) {
      const ViewClass& c = classes_[static_cast<std::uint32_t>(by_group[i])];
      sets.push_back(&c.prepared);
      group.range = {std::min(group.range.begin, c.prepared.set.base), std::max(group.range.end, c.prepared.set.end())};
      for (const PlacedView& member : c.members) out.members.push_back(member.id);
    }
    group.member_count = static_cast<std::uint32_t>(out.members.size()) - group.first_member;
    std::ranges::sort(std::span(out.members).subspan(group.first_member));
    group.distinct_bytes = kUnknownBytes;
    if (sets.size() == 1)
      group.distinct_bytes = classes_[static_cast<std::uint32_t>(by_group[first])].members.front().distinct_bytes;
    if (group.distinct_bytes == kUnknownBytes && !budget.stopped()) group.distinct_bytes = union_bytes(sets, budget);
    out.groups.push_back(group);
    first = i;
  }
}

}  // namespace dlscope::core
