// Copies by the CUDA driver of tensors that dlscope holds: between host and device, on a device, between devices.
// thread: any; needs no GIL.
#pragma once

#include <cstdint>

#include "embed/protocols/held_tensor.h"

namespace dlscope::embed {

// On a CUDA device, in memory that only the driver can access.
[[nodiscard]] bool is_on_cuda_device(core::DeviceId device);
// Whether dlscope can create a tensor there: in host memory, or in memory of the CUDA driver (on a device, pinned, managed).
[[nodiscard]] bool can_allocate_on(core::DeviceId device);

// Copies the elements of `from` into `to`; at least one of them must be on a CUDA device. Same shape, dtype and item size; `to`
// must be made by allocate_tensor(). The driver is asked first whether the memory of `from` is where its producer says. Waits for
// the work that the program has put on the default stream before (on all streams, when the producer was not asked for one). Fails
// with a message.
[[nodiscard]] core::Result<void> copy_by_driver(const HeldTensor& from, const HeldTensor& to);  // fails with a message

// Makes the program's stream with this handle (DLPack's numbers: 2 is the per-thread default stream) wait for the work that the
// legacy default stream has now: tensors that dlscope took are ready there. Fails with a message: the device has no such stream.
[[nodiscard]] core::Result<void> make_stream_wait(core::DeviceId device, std::uint64_t stream);

}  // namespace dlscope::embed
