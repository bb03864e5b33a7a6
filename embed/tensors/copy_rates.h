// How fast a plain copy is on this machine: what the time of a copy is compared with. Measured once for each way (64 MiB in host
// memory, one buffer of the pinned ring to or from a device) and only where the user asked for a copy in the window.
// thread: any that holds the GIL; it is released while measuring.
#pragma once

#include <cstdint>

#include "core/tensor/device_id.h"

namespace dlscope::embed {

enum class MeasureRate : std::uint8_t { no, once };

// Nanoseconds for a plain copy of as many bytes; 0: not known. Between host memory and a device that is what the connection
// gives, from and to pinned memory. Copies on a device and between devices are not measured.
[[nodiscard]] std::uint64_t plain_copy_ns(core::DeviceId from, core::DeviceId to, std::uint64_t bytes, MeasureRate measure);

}  // namespace dlscope::embed
