#include "core/sharing/small_cluster.h"

#include <algorithm>

#include "core/sharing/union_bytes.h"

namespace dlscope::core {

std::uint64_t SmallCluster::count_pairs(std::span<const PlacedView> views, std::span<std::uint32_t> pairs_of_rank) {
  std::uint64_t all = 0;
  for (std::size_t i = 0; i < views.size(); ++i) {
    std::uint32_t pairs = 0;
    for (std::size_t j = i + 1; j < views.size(); ++j) pairs += views[i].extent.meets(views[j].extent);
    pairs_of_rank[views[i].rank] += pairs;
    all += pairs;
  }
  return all;
}

void SmallCluster::load(std::span<const PlacedView> views, std::span<const Axis> pool) {
  views_ = views;
  has_equal_ = false;
  undecided_.clear();
  std::size_t room = 0;
  for (const PlacedView& view : views) room += view.axis_count;
  if (levels_.size() < room) levels_.resize(2 * room);  // before any set points into it
  std::size_t used = 0;
  for (std::size_t i = 0; i < views.size(); ++i) {
    parent_[i] = first_equal_[i] = static_cast<std::uint8_t>(i);
    for (std::size_t j = 0; j < i && first_equal_[i] == i; ++j) {
      if (views[j].extent.begin == views[i].extent.begin && same_set(views[j], views[i], pool)) first_equal_[i] = first_equal_[j];
    }
    if (first_equal_[i] != i) {
      has_equal_ = true;
      sets_[i] = sets_[first_equal_[i]];
      continue;
    }
    const StridedSet set = views[i].set(pool);
    const NestedLevel* const top = set.nested && set.in_bytes() ? chain_levels(set.axes, &levels_[used]) : nullptr;
    used += set.axes.size();
    sets_[i] = {set, top};
  }
  if (has_equal_) {
    known_.resize(kMaxViews * kMaxViews);
    is_known_.assign(kMaxViews * kMaxViews, 0);
  }
}

std::uint8_t SmallCluster::root(std::uint8_t i) const {
  while (parent_[i] != i) i = parent_[i];
  return i;
}

void SmallCluster::join(std::uint8_t i, std::uint8_t j) {
  i = root(i);
  j = root(j);
  parent_[std::max(i, j)] = std::min(i, j);
}

SetOverlap SmallCluster::compare(std::size_t i, std::size_t j, WorkBudget& budget) {
  if (!has_equal_) return budget.compare(sets_[i], sets_[j]);
  const std::size_t key = first_equal_[i] * kMaxViews + first_equal_[j];
  if (is_known_[key] == 0) {
    known_[key] = budget.compare(sets_[i], sets_[j]);
    is_known_[key] = 1;
  }
  return known_[key];
}

void SmallCluster::write_pairs(std::span<SharingPair> pairs, std::span<const std::uint32_t> first_of_rank, WorkBudget& budget) {
  for (std::size_t i = 0; i < views_.size(); ++i) {
    std::uint32_t next = first_of_rank[views_[i].rank];
    const std::uint32_t id = views_[i].id;
    for (std::size_t j = i + 1; j < views_.size(); ++j) {
      if (!views_[i].extent.meets(views_[j].extent)) continue;
      const SetOverlap overlap = compare(i, j, budget);
      if (!overlap.known())
        undecided_.push_back(static_cast<std::uint16_t>(i * kMaxViews + j));
      else if (overlap.shared_bytes > 0)
        join(static_cast<std::uint8_t>(i), static_cast<std::uint8_t>(j));
      pairs[next++] = pair_of(id, views_[j].id, overlap);
    }
  }
}

bool SmallCluster::has_open_groups() {
  return std::ranges::any_of(undecided_, [&](std::uint16_t pair) {
    return root(static_cast<std::uint8_t>(pair / kMaxViews)) != root(static_cast<std::uint8_t>(pair % kMaxViews));
  });
}

std::uint64_t SmallCluster::bytes_of_group(std::uint8_t group_root, WorkBudget& budget) {
  group_sets_.clear();
  for (std::uint8_t i = 0; i < views_.size(); ++i) {
    if (first_equal_[i] == i && root(i) == group_root) group_sets_.push_back(&sets_[i]);
  }
  if (group_sets_.size() == 1) {
    for (std::uint8_t i = 0; i < views_.size(); ++i) {
      const std::uint64_t counted = views_[i].distinct_bytes;
      if (root(i) == group_root && counted != kUnknownBytes) return counted;
    }
  }
  return budget.stopped() ? kUnknownBytes : union_bytes(group_sets_, budget);
}

void SmallCluster::add_groups(SpaceId space, Sharing& out, WorkBudget& budget) {
  const std::size_t first_group = out.groups.size();
  for (std::uint8_t i = 0; i < views_.size(); ++i) {
    if (root(i) != i) continue;  // only the lowest view of each group
    SharingGroup group{views_[i].extent, 0, static_cast<std::uint32_t>(out.members.size()), 0, space};
    for (std::uint8_t j = i; j < views_.size(); ++j) {
      if (root(j) != i) continue;
      out.members.push_back(views_[j].id);
      group.range.begin = std::min(group.range.begin, views_[j].extent.begin);
      group.range.end = std::max(group.range.end, views_[j].extent.end);
    }
    group.member_count = static_cast<std::uint32_t>(out.members.size()) - group.first_member;
    group.distinct_bytes = bytes_of_group(i, budget);
    out.groups.push_back(group);
  }
  std::ranges::sort(std::span(out.groups).subspan(first_group), {}, [](const SharingGroup& g) { return g.range.begin; });
}

}  // namespace dlscope::core
