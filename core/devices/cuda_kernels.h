// CudaKernels: the functions of kernels/kernels.cu on one device. They come with the program as one image for many kinds of device;
// a build without a CUDA compiler has none, and a driver or device may be too old for them: whoever uses them has another way.
// thread: one at a time; the device's context is current (CudaScope) in every call.
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
  // `driver` must outlive it. Fails in words.
  [[nodiscard]] static Result<CudaKernels> load(const CudaDriver& driver);
  // Where the context is gone, the functions went with it.
  ~CudaKernels();
  CudaKernels(CudaKernels&& other) noexcept;
  CudaKernels& operator=(CudaKernels&&) = delete;

  // Each puts its work on the stream and returns. Addresses are the device's.
  // item: 1, 2, 4, 8 or 16 bytes, which divides every address and stride.
  [[nodiscard]] Result<void> copy_items(const kernels::ItemCopy& copy, unsigned item, CudaStream stream) const;
  [[nodiscard]] Result<void> gather(const kernels::Gather& gather, CudaStream stream) const;
  [[nodiscard]] Result<void> scan_blocks(const kernels::BlockScan& scan, CudaStream stream) const;

 private:
  CudaKernels(const CudaDriver& driver, CudaModule module) : driver_(&driver), module_(module) {}
  // `threads`: as many as there is work for; each does more where there are too many. `parameters`: the function's one argument.
  [[nodiscard]] Result<void> launch(const std::string& function, std::uint64_t threads, const void* parameters,
                                    CudaStream stream) const;

  const CudaDriver* driver_;
  CudaModule module_;  // null: moved from
};

}  // namespace dlscope::core
