#include "core/inventory/snapshot.h"

namespace dlscope::core {

const TensorRecord* Snapshot::find(std::string_view name_path) const {
  for (const TensorRecord& tensor : tensors) {
    for (const TextRef ref : slice(names, tensor.names)) {
      if (str(ref) == name_path) return &tensor;
    }
  }
  return nullptr;
}

}  // namespace dlscope::core
