// CudaKernels: the functions of kernels/kernels.cu, loaded on one device. A build without a CUDA compiler has none, and a driver
// or device may be too old for them, so every user has another method.
// thread: one at a time; the device's context must be current (CudaScope) in every call.
#pragma once

#include <cstdint>
#include <string>

#include "core/base/result.h"
#include "core/devices/cuda_driver.h"
#include "core/devices/kernels/block_scan.h"
#include "core/devices/kernels/gather.h"
#include "core/devices/kernels/item_copy.h"

namespace dlscope::core {

class CudaKernels {
 public:
  // `driver` must outlive the object. Fails when there are no kernels for this device.
  [[nodiscard]] static Result<CudaKernels> load(const CudaDriver& driver);
  // Unloads the functions, unless they are gone with their context.
  ~CudaKernels();
  CudaKernels(CudaKernels&& other) noexcept;
  CudaKernels& operator=(CudaKernels&&) = delete;

  // Each queues its work on the stream and returns. Addresses are on the device.
  // item: 1, 2, 4, 8 or 16 bytes; must divide every address and stride.
  [[nodiscard]] Result<void> copy_items(const kernels::ItemCopy& copy, unsigned item, CudaStream stream) const;
  [[nodiscard]] Result<void> gather(const kernels::Gather& gather, CudaStream stream) const;
  [[nodiscard]] Result<void> scan_blocks(const kernels::BlockScan& scan, CudaStream stream) const;

 private:
  CudaKernels(const CudaDriver& driver, CudaModule module) : driver_(&driver), module_(module) {}
  // `threads`: the number of work items; fewer threads are launched if there are too many, and each then does several items.
  // `parameters`: the function's one argument.
  [[nodiscard]] Result<void> launch(const std::string& function, std::uint64_t threads, const void* parameters,
                                    CudaStream stream) const;

  const CudaDriver* driver_;
  CudaModule module_;  // null: moved from
};

}  // namespace dlscope::core
