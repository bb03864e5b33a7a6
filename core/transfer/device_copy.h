// Strided copies between a CUDA device and the host, and on a device. What lies together crosses together: long runs as rows of a 2-D
// copy; everything else is packed on the device by a kernel, and without kernels (CudaTransfer::kernels_problem()) as the bytes around
// it, which are packed or spread on the host. Memory beyond the two tensors is bounded.
// thread: any, one at a time for a CudaTransfer.
#pragma once

#include <cstddef>
#include <stop_token>

#include "core/base/address.h"
#include "core/base/result.h"
#include "core/devices/cuda_transfer.h"
#include "core/tensor/layout.h"

namespace dlscope::core {

// As copy_strided(): validated layouts of the same shape and item_bits. Fails in the driver's words, or cancelled; part of the elements
// may have been copied then.
[[nodiscard]] Result<void> copy_from_device(CudaTransfer& transfer, Address from, LayoutView from_layout, std::byte* to,
                                            LayoutView to_layout, std::stop_token stop = {});
// Bytes between the elements of `to` are left as they are.
[[nodiscard]] Result<void> copy_to_device(CudaTransfer& transfer, const std::byte* from, LayoutView from_layout, Address to,
                                          LayoutView to_layout, std::stop_token stop = {});
// Both on the transfer's device; they share no byte.
[[nodiscard]] Result<void> copy_on_device(CudaTransfer& transfer, Address from, LayoutView from_layout, Address to,
                                          LayoutView to_layout, std::stop_token stop = {});

}  // namespace dlscope::core
