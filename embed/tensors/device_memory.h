// Copies by the CUDA driver of tensors that dlscope holds: between host and device, on a device, between devices.
// thread: any; needs no GIL.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/transfer/copy_in_parts.h"
#include "embed/protocols/held_tensor.h"

namespace dlscope::embed {

// On a CUDA device, in memory that only the driver can access.
[[nodiscard]] bool is_on_cuda_device(core::DeviceId device);
// Whether dlscope can create a tensor there: in host memory, or in memory of the CUDA driver (on a device, pinned, managed).
[[nodiscard]] bool can_allocate_on(core::DeviceId device);

// Copies the elements of `from` into `to`; at least one of them must be on a CUDA device. Same shape, dtype and item size; `to`
// must be made by allocate_tensor(). The driver is asked first whether the memory of `from` is where its producer says. Waits for
// the work that the program has put on the default stream before (on all streams, when the producer was not asked for one; that
// wait cannot be stopped). progress: of the bytes of `to`, called now and then on the calling thread; false: stop. path: where to
// write the way of the bytes ("host -> pinned ring -> cuda:0"); null: nowhere. Fails with a message, or as cancelled; then a part
// of `to` may have been written, and the driver works on neither any more.
[[nodiscard]] core::Result<void> copy_by_driver(const HeldTensor& from, const HeldTensor& to,
                                                const core::CopyProgress& progress = {}, std::string* path = nullptr);

// Whether `made` has the elements of `from`, converted where the dtypes differ; at least one of them is on a CUDA device. Both
// are read in full. nullopt: progress() stopped it. Fails as `unsupported` where they cannot be compared, or with the driver's
// error. see: as in core::is_copy_of().
[[nodiscard]] core::Result<std::optional<bool>> is_driver_copy(const HeldTensor& from, const HeldTensor& made,
                                                               const core::CopyProgress& progress, const core::SeeConverted& see = {});

// Makes the program's stream with this handle (DLPack's numbers: 2 is the per-thread default stream) wait for the work that the
// legacy default stream has now: tensors that dlscope took are ready there. Fails with a message: the device has no such stream.
[[nodiscard]] core::Result<void> make_stream_wait(core::DeviceId device, std::uint64_t stream);

// Makes the legacy default stream wait for the work that this stream of the program's has now: what an array interface's exporter has
// put on it is then ready in the order of the default stream, as everything is that dlscope took.
[[nodiscard]] core::Result<void> make_default_stream_wait(core::DeviceId device, std::uint64_t stream);

}  // namespace dlscope::embed
