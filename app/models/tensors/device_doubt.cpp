#include "app/models/tensors/device_doubt.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "app/models/tensors/memory_place.h"
#include "app/models/text/format.h"
#include "app/models/text/name_path.h"
#include "core/inventory/relation.h"

namespace dlscope::app {

using core::UnknownWhy;

namespace {

constexpr std::size_t kNameLength = 40, kMostNamed = 3;

bool is_doubted(const core::Snapshot& snapshot, const core::TensorRecord& tensor) {
  return core::contradiction_about_device(snapshot, tensor).has_value();
}

std::string quoted_name(const core::Snapshot& snapshot, const core::TensorRecord& tensor) {
  return "“" + shortened_name(snapshot.name(tensor), kNameLength) + "”";
}

bool meet_across(const core::TensorRecord& a, const core::TensorRecord& b) {
  return a.space != b.space && has_place(a) && has_place(b) && a.extent.meets(b.extent);
}

// Those that a tensor may share bytes with for one reason.
struct Met {
  std::string names;
  std::size_t count = 0;

  void add(const core::Snapshot& snapshot, const core::TensorRecord& tensor) {
    if (count++ >= kMostNamed) return;
    names += fmt::format("{}{} ({})", count > 1 ? ", " : "", quoted_name(snapshot, tensor), core::device_name(tensor.device));
  }
  [[nodiscard]] std::string sentence(std::string_view who, std::string_view why) const {
    if (count == 0) return {};
    const std::string more = count > kMostNamed ? fmt::format(" and {} more", count - kMostNamed) : std::string();
    return fmt::format("Whether {} shares bytes with {}{} is unknown: they have the same addresses, and {}.", who, names, more,
                       why);
  }
};

bool may_be_elsewhere(const core::Snapshot& snapshot, const core::TensorRecord& tensor) {
  return core::may_be_the_hosts(snapshot, tensor.space) || is_doubted(snapshot, tensor);
}

// Tensors of other spaces that have some of its addresses, where it is not certain that their memory is another; the first found
// first. A million tensors elsewhere need not be looked at: only the blocks of other lanes that have those addresses are.
std::vector<std::uint32_t> met_elsewhere(const SnapshotIndex& index, const core::TensorRecord& self) {
  const core::Snapshot& snapshot = *index.snapshot;
  const bool self_uncertain = may_be_elsewhere(snapshot, self);
  std::vector<std::uint32_t> met;
  for (const MapLane& lane : index.map.lanes) {
    const bool is_uncertain = self_uncertain || lane.doubted != 0 || core::may_be_the_hosts(snapshot, lane.space);
    if (lane.space == self.space || !is_uncertain) continue;
    auto block = std::ranges::upper_bound(lane.blocks, self.extent.begin, {}, [](const MapBlock& b) { return b.range.end; });
    for (; block != lane.blocks.end() && block->range.begin < self.extent.end; ++block) {
      for (const MapTensor& each : index.map.of(*block)) {
        const core::TensorRecord& other = index.tensor(each.tensor);
        if (!meet_across(self, other)) continue;
        if (core::why_spaces_uncertain(snapshot, self, other) != UnknownWhy::none) met.push_back(each.tensor);
      }
    }
  }
  std::ranges::sort(met);
  met.erase(std::ranges::unique(met).begin(), met.end());
  return met;
}

}  // namespace

std::string if_as_claimed(const core::Snapshot& snapshot, const core::TensorRecord& tensor) {
  if (!is_doubted(snapshot, tensor)) return {};
  return fmt::format(", if it lies on {} as claimed, which is contradicted", core::device_name(tensor.device));
}

std::string if_as_claimed(const core::Snapshot& snapshot, const core::PairRecord& pair) {
  const core::TensorRecord &a = snapshot.tensors[pair.a], &b = snapshot.tensors[pair.b];
  const bool a_doubted = is_doubted(snapshot, a), b_doubted = is_doubted(snapshot, b);
  if (a_doubted && b_doubted)
    return fmt::format(", if they lie on {} as claimed, which is contradicted", core::device_name(a.device));
  if (!a_doubted && !b_doubted) return {};
  const core::TensorRecord& one = a_doubted ? a : b;
  return fmt::format(", if {} lies on {} as claimed, which is contradicted", quoted_name(snapshot, one),
                     core::device_name(one.device));
}

std::string meets_elsewhere_sentence(const SnapshotIndex& index, std::uint32_t id, std::string_view who) {
  const core::Snapshot& snapshot = *index.snapshot;
  const core::TensorRecord& self = index.tensor(id);
  if (!has_place(self)) return {};
  Met contradicted, one_api;
  std::string whose = is_doubted(snapshot, self) ? quoted_name(snapshot, self) : std::string();
  for (const std::uint32_t other : met_elsewhere(index, self)) {
    const core::TensorRecord& tensor = snapshot.tensors[other];
    const bool by_contradiction = core::why_spaces_uncertain(snapshot, self, tensor) == UnknownWhy::device_contradicted;
    (by_contradiction ? contradicted : one_api).add(snapshot, tensor);
    if (by_contradiction && whose.empty()) whose = quoted_name(snapshot, tensor);
  }
  const std::string first = contradicted.sentence(who, fmt::format("on which device {} lies is contradicted", whose));
  const std::string second = one_api.sentence(who, "oneAPI memory may be the host's as well");
  return first + (first.empty() || second.empty() ? "" : " ") + second;
}

// In the order of where they begin: of those that came before, the one that ends last in its space meets a tensor if any does.
bool some_meet_elsewhere(const core::Snapshot& snapshot) {
  const auto is_uncertain = [&](const core::TensorRecord& tensor) { return has_place(tensor) && may_be_elsewhere(snapshot, tensor); };
  if (std::ranges::none_of(snapshot.tensors, is_uncertain)) return false;
  std::vector<const core::TensorRecord*> order;
  for (const core::TensorRecord& tensor : snapshot.tensors) {
    if (has_place(tensor)) order.push_back(&tensor);
  }
  std::ranges::sort(order, {}, [](const core::TensorRecord* tensor) { return tensor->extent.begin; });
  // Of each space, those of a contradicted device apart.
  std::map<std::pair<core::SpaceId, bool>, const core::TensorRecord*> last;
  for (const core::TensorRecord* const tensor : order) {
    for (const auto& [key, before] : last) {
      if (!meet_across(*tensor, *before)) continue;
      if (core::why_spaces_uncertain(snapshot, *tensor, *before) != UnknownWhy::none) return true;
    }
    const core::TensorRecord*& longest = last[{tensor->space, is_doubted(snapshot, *tensor)}];
    if (longest == nullptr || longest->extent.end < tensor->extent.end) longest = tensor;
  }
  return false;
}

}  // namespace dlscope::app
