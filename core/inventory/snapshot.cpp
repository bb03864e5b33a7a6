#include "core/inventory/snapshot.h"

#include <algorithm>

namespace dlscope::core {

bool Snapshot::has_remark(const TensorRecord& t, RemarkCode code) const {
  return std::ranges::any_of(slice(remarks, t.remarks), [code](const RemarkRecord& r) { return r.code == code; });
}

const ValueSummary* Snapshot::statistics_of(const TensorRecord& t) const {
  const auto id = static_cast<std::uint32_t>(&t - tensors.data());
  const auto found = std::ranges::lower_bound(statistics, id, {}, &StatisticsRecord::tensor);
  return found != statistics.end() && found->tensor == id ? &found->summary : nullptr;
}

const TensorRecord* Snapshot::find(std::string_view name_path) const {
  for (const TensorRecord& tensor : tensors) {
    for (const TextRef ref : slice(names, tensor.names)) {
      if (str(ref) == name_path) return &tensor;
    }
  }
  return nullptr;
}

}  // namespace dlscope::core
