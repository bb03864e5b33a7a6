// Whether the bytes of a tensor can be read on request, and by which reader (SnapshotReader).
// thread: any.
#pragma once

#include "core/inventory/snapshot.h"

namespace dlscope::core {

// True for readable host memory, and for memory of a CUDA device if the driver confirms the device that the producer names.
[[nodiscard]] bool may_be_read(const Snapshot& snapshot, const TensorRecord& tensor);
// True if the tensor has bytes that only a reader of their device (CudaReader) can read.
[[nodiscard]] bool is_read_on_device(const Snapshot& snapshot, const TensorRecord& tensor);

}  // namespace dlscope::core
