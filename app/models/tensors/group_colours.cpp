#include "app/models/tensors/group_colours.h"

#include <algorithm>
#include <numeric>

namespace dlscope::app {

std::vector<std::uint32_t> GroupColours::assign(const core::Snapshot& snapshot) {
  const auto& groups = snapshot.groups;
  std::vector<std::uint32_t> order(groups.size());
  std::iota(order.begin(), order.end(), 0U);
  const auto first_tensor = [&](std::uint32_t group) {
    const auto members = core::Snapshot::slice(snapshot.group_members, groups[group].members);
    return members.empty() ? core::kNone32 : members.front();
  };
  std::ranges::sort(order, {}, first_tensor);

  std::map<Key, std::uint32_t> now;
  std::vector<std::uint32_t> colours(groups.size(), core::kNone32);
  std::vector<bool> taken(groups.size() + living_.size() + 1, false);
  const auto key_of = [&](std::uint32_t group) {
    return Key{snapshot.device_of(groups[group].space), groups[group].range.begin, groups[group].range.end};
  };
  const auto take = [&](std::uint32_t group, std::uint32_t colour) {
    colours[group] = colour;
    if (colour < taken.size()) taken[colour] = true;
    now.emplace(key_of(group), colour);
  };
  for (const std::uint32_t group : order) {
    const auto known = living_.find(key_of(group));
    if (known != living_.end() && !now.contains(known->first)) take(group, known->second);
  }
  std::uint32_t next = 0;
  for (const std::uint32_t group : order) {
    if (colours[group] != core::kNone32) continue;
    while (next < taken.size() && taken[next]) ++next;
    take(group, next++);
  }
  living_ = std::move(now);
  return colours;
}

}  // namespace dlscope::app
