// Compares a copy that the CUDA driver made with its source. What lies on a device is brought to the host part by part, so the
// additional memory is bounded.
// thread: any, one at a time for a CudaTransfer.
#pragma once

#include <cstdint>
#include <optional>

#include "core/base/address.h"
#include "core/base/result.h"
#include "core/devices/cuda_transfer.h"
#include "core/tensor/dtype.h"
#include "core/tensor/layout.h"
#include "core/transfer/copy_in_parts.h"

namespace dlscope::core {

// The source or the copy. Borrows everything.
struct DeviceSide {
  CudaTransfer* transfer = nullptr;  // of the device that it is on; null: it is in host memory
  Address address = 0;               // of element [0,...,0]
  LayoutView layout;
  DType dtype;
};

// As is_copy_of(): nullopt: progress() stopped it. Fails with `unsupported` and the reason where the two cannot be compared, and
// with the driver's error.
[[nodiscard]] Result<std::optional<bool>> is_copy_across(const DeviceSide& from, const DeviceSide& made,
                                                          const CopyProgress& progress,
                                                          std::uint64_t part_bytes = kCopyPartBytes,
                                                          const SeeConverted& see = {});

}  // namespace dlscope::core
