#include "core/inventory/survey.h"

#include "core/inventory/readable.h"
#include "core/inventory/tensor_numbers.h"

namespace dlscope::core {

bool has_readable_values(const Snapshot& snapshot, const TensorRecord& tensor) {
  return may_be_read(snapshot, tensor) && has_statistics(numbers_of(snapshot, tensor).dtype);
}

std::vector<SurveyItem> survey_items(const Snapshot& snapshot) {
  std::vector<SurveyItem> out;
  for (std::uint32_t id = 0; id < snapshot.tensors.size(); ++id) {
    const TensorRecord& t = snapshot.tensors[id];
    if (!has_readable_values(snapshot, t)) continue;
    const TensorValues values = tensor_values(snapshot, t);
    if (MemoryOrder(values.layout, values.dtype, values.address).places() <= kMaxPlaces) out.push_back({id, values});
  }
  return out;
}

}  // namespace dlscope::core
