// Strided copies between a CUDA device and the host, and on a device. Long runs are transferred as rows of a 2-D copy. Everything
// else is packed or unpacked on the device by a kernel; without kernels (CudaTransfer::kernels_problem()) the surrounding bytes
// are transferred and packed or unpacked on the host. Additional memory is bounded. Calls block until the copy is done.
// thread: any, one at a time for a CudaTransfer.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/base/address.h"
#include "core/base/result.h"
#include "core/devices/cuda_transfer.h"
#include "core/tensor/layout.h"
#include "core/transfer/copy_in_parts.h"

namespace dlscope::core {

// How the elements came into the order of the target. All false: they lay in it.
struct DeviceCopyWay {
  bool kernel = false;        // a kernel on the device arranged them
  bool host_packed = false;   // they were arranged on the host
  bool through_host = false;  // of a copy on a device: they went through the host
};

struct DeviceCopyOptions {
  // Called before the first byte and after each piece, on the calling thread; false: stop.
  CopyProgress progress = {};
  std::size_t device_piece = std::size_t{256} << 20;  // bytes that are copied on devices between two calls
  DeviceCopyWay* way = nullptr;                       // where to write it down; null: nowhere
};

// As copy_strided(): validated layouts of the same shape and item_bits. Fails with the driver's error, or cancelled; then part of
// the elements may have been copied, and no copy is running any more.
[[nodiscard]] Result<void> copy_from_device(CudaTransfer& transfer, Address from, LayoutView from_layout, std::byte* to,
                                            LayoutView to_layout, const DeviceCopyOptions& options = {});
// Bytes between the elements of `to` are not changed.
[[nodiscard]] Result<void> copy_to_device(CudaTransfer& transfer, const std::byte* from, LayoutView from_layout, Address to,
                                          LayoutView to_layout, const DeviceCopyOptions& options = {});
// Both must be on the transfer's device and share no byte.
[[nodiscard]] Result<void> copy_on_device(CudaTransfer& transfer, Address from, LayoutView from_layout, Address to,
                                          LayoutView to_layout, const DeviceCopyOptions& options = {});
// Contiguous bytes, from the transfer's device to another one.
[[nodiscard]] Result<void> copy_to_peer(CudaTransfer& transfer, Address from, int peer, Address to, std::uint64_t bytes,
                                        const DeviceCopyOptions& options = {});

}  // namespace dlscope::core
