#include "app/models/tensors/device_doubt.h"

#include <fmt/format.h>

#include <algorithm>

#include "app/models/text/format.h"
#include "app/models/text/name_path.h"
#include "core/inventory/relation.h"

namespace dlscope::app {
namespace {

constexpr std::size_t kNameLength = 40, kMostNamed = 3;

bool is_doubted(const core::Snapshot& snapshot, const core::TensorRecord& tensor) {
  return !core::contradiction_about_device(snapshot, tensor).empty();
}

std::string quoted_name(const core::Snapshot& snapshot, const core::TensorRecord& tensor) {
  return "“" + shortened_name(snapshot.name(tensor), kNameLength) + "”";
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
  if (self.extent.empty() || self.space == core::kNoSpace) return {};
  // Nearly always there is no doubt at all, and a million tensors need not be looked at.
  if (std::ranges::all_of(index.map.lanes, [](const MapLane& lane) { return lane.doubted == 0; })) return {};
  const bool self_doubted = is_doubted(snapshot, self);
  std::string names, whose = self_doubted ? quoted_name(snapshot, self) : std::string();
  std::size_t met = 0;
  for (std::uint32_t other = 0; other < snapshot.tensors.size(); ++other) {
    const core::TensorRecord& tensor = snapshot.tensors[other];
    if (other == id || tensor.space == self.space || tensor.space == core::kNoSpace || !tensor.extent.meets(self.extent)) continue;
    if (!self_doubted && !is_doubted(snapshot, tensor)) continue;
    if (whose.empty()) whose = quoted_name(snapshot, tensor);
    if (met++ < kMostNamed)
      names += fmt::format("{}{} ({})", met > 1 ? ", " : "", quoted_name(snapshot, tensor), core::device_name(tensor.device));
  }
  if (met == 0) return {};
  if (met > kMostNamed) names += fmt::format(" and {} more", met - kMostNamed);
  return fmt::format("Whether {} shares bytes with {} is unknown: they have the same addresses, and on which device {} lies is "
                     "contradicted.",
                     who, names, whose);
}

}  // namespace dlscope::app
