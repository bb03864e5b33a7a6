#include "app/models/exchange/life_rows.h"

#include <fmt/format.h>

#include <algorithm>

namespace dlscope::app {
namespace {

constexpr std::size_t kMostLookedAt = 256;

}  // namespace

std::vector<LifeRow> life_rows(const LifeAnswer& life, const SnapshotIndex& index) {
  const core::Snapshot& snapshot = *index.snapshot;
  std::vector<LifeRow> rows;
  rows.reserve(life.holders.size() + life.unsaid.size());
  const auto add = [&](const std::string& name, std::string how, bool keeps) {
    LifeRow row{.name = name, .type = {}, .how = std::move(how), .keeps = keeps};
    if (const auto tensor = index.find(name)) {
      const core::TensorRecord& record = index.tensor(*tensor);
      row.tensor = *tensor;
      row.colour = index.colour_of(record);
      row.type = snapshot.str(record.type);
      if (!keeps) row.how = fmt::format("{} does not say whether it keeps the memory", snapshot.str(record.library));
    }
    rows.push_back(std::move(row));
  };
  for (const auto& [name, how] : life.holders) add(name, how, true);
  for (const std::string& name : life.unsaid) add(name, "its library does not say whether it keeps the memory", false);
  std::ranges::stable_sort(rows, {}, &LifeRow::tensor);
  return rows;
}

std::vector<std::uint32_t> others_of_memory(const core::Snapshot& snapshot, std::uint32_t tensor) {
  const core::TensorRecord& record = snapshot.tensors[tensor];
  std::vector<std::uint32_t> others;
  if (record.group != core::kNone32) {
    for (const std::uint32_t other : core::Snapshot::slice(snapshot.group_members, snapshot.groups[record.group].members)) {
      if (other != tensor) others.push_back(other);
    }
  }
  const auto whole = snapshot.allocation_of(record);
  if (!whole || whole->range.empty()) return others;
  const std::size_t sharing = others.size();
  for (std::uint32_t other = 0; other < snapshot.tensors.size(); ++other) {
    const core::TensorRecord& each = snapshot.tensors[other];
    if (other == tensor || each.space != record.space || each.allocation == core::kNone32) continue;
    if (each.group != core::kNone32 && each.group == record.group) continue;
    const auto its = snapshot.allocation_of(each);
    if (its && its->range == whole->range) others.push_back(other);
  }
  std::ranges::sort(others.begin() + static_cast<std::ptrdiff_t>(sharing), others.end());
  return others;
}

std::uint64_t used_bytes_of_memory(const core::Snapshot& snapshot, const core::TensorRecord& tensor) {
  std::uint64_t used = 0;
  const auto count = [&](std::uint64_t bytes) {
    if (bytes != core::kUnknown64) used = std::max(used, bytes);
  };
  const auto count_allocation = [&](const core::TensorRecord& each) {
    if (const auto whole = snapshot.allocation_of(each)) count(whole->used_bytes);
  };
  count_allocation(tensor);
  if (tensor.group == core::kNone32) {
    count(tensor.nbytes);
  } else {
    const core::GroupRecord& group = snapshot.groups[tensor.group];
    count(group.distinct_bytes);
    // One of them may know of a larger allocation than the others do. The view asks in every frame: not about all of a large group.
    const auto members = core::Snapshot::slice(snapshot.group_members, group.members);
    for (const std::uint32_t member : members.first(std::min(members.size(), kMostLookedAt)))
      count_allocation(snapshot.tensors[member]);
  }
  return used;
}

}  // namespace dlscope::app
