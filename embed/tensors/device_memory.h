// Copies of tensors that dlscope holds, made by the CUDA driver: between the host and a device, on a device, between devices.
// thread: any; needs no GIL.
#pragma once

#include <cstdint>

#include "embed/protocols/held_tensor.h"

namespace dlscope::embed {

// On a CUDA device, where only the driver reaches it.
[[nodiscard]] bool is_on_cuda_device(core::DeviceId device);
// dlscope can make a tensor there: in the host's memory, or in what the CUDA driver gives (a device's, pinned, managed).
[[nodiscard]] bool can_allocate_on(core::DeviceId device);

// Copies the elements of `from` into `to`, one of which is on a CUDA device at least: same shape, dtype and item size; `to` is one of our
// own (allocate_tensor()). The driver is asked first whether the memory of `from` is where its producer says; what the program put on the
// default stream before is waited for (on all streams, where its producer was asked for none). Fails in words.
[[nodiscard]] core::Result<void> copy_by_driver(const HeldTensor& from, const HeldTensor& to);

// The program's stream with this handle (DLPack's numbers: 2 is the default one per thread) goes on only when the legacy default stream
// has come as far as it is now: tensors that dlscope took are ready there. Fails in words: no such stream on the device.
[[nodiscard]] core::Result<void> make_stream_wait(core::DeviceId device, std::uint64_t stream);

}  // namespace dlscope::embed
