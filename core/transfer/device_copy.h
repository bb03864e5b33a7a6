// Strided copies between a CUDA device and the host, and on a device. Long runs are transferred as rows of a 2-D copy. Everything
// else is packed or unpacked on the device by a kernel; without kernels (CudaTransfer::kernels_problem()) the surrounding bytes
// are transferred and packed or unpacked on the host. Additional memory is bounded. Calls block until the copy is done.
// thread: any, one at a time for a CudaTransfer.
#pragma once

#include <cstddef>
#include <stop_token>

#include "core/base/address.h"
#include "core/base/result.h"
#include "core/devices/cuda_transfer.h"
#include "core/tensor/layout.h"

namespace dlscope::core {

// As copy_strided(): validated layouts of the same shape and item_bits. Fails with the driver's error, or cancelled; then part of
// the elements may have been copied.
[[nodiscard]] Result<void> copy_from_device(CudaTransfer& transfer, Address from, LayoutView from_layout, std::byte* to,
                                            LayoutView to_layout, std::stop_token stop = {});
// Bytes between the elements of `to` are not changed.
[[nodiscard]] Result<void> copy_to_device(CudaTransfer& transfer, const std::byte* from, LayoutView from_layout, Address to,
                                          LayoutView to_layout, std::stop_token stop = {});
// Both must be on the transfer's device and share no byte.
[[nodiscard]] Result<void> copy_on_device(CudaTransfer& transfer, Address from, LayoutView from_layout, Address to,
                                          LayoutView to_layout, std::stop_token stop = {});

}  // namespace dlscope::core
