// Whether the bytes of a tensor can be read when somebody asks for them, and by whom (SnapshotReader).
// thread: any.
#pragma once

#include "core/inventory/snapshot.h"

namespace dlscope::core {

// On the host, or on a CUDA device where nobody contradicts anybody about it.
[[nodiscard]] bool may_be_read(const Snapshot& snapshot, const TensorRecord& tensor);
// It has bytes, which only a reader of their device brings.
[[nodiscard]] bool is_read_on_device(const Snapshot& snapshot, const TensorRecord& tensor);

}  // namespace dlscope::core
