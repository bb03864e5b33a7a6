// What the driver says about one of a program's streams, without waiting for it and without a context of our own.
#pragma once

#include <optional>

#include "core/devices/cuda_driver.h"

namespace dlscope::core {

enum class StreamState : std::uint8_t {
  done,     // nothing is under way on it
  busy,
  unknown,  // no such stream, no active context, a graph is being captured
};

// A stream that a graph is captured from is not asked: that would break the capture.
[[nodiscard]] StreamState stream_state(const CudaDriver& driver, int ordinal, CudaStream stream);
// Whether the stream waits for the legacy default stream and is waited for by it; nullopt: unknown.
[[nodiscard]] std::optional<bool> is_blocking_stream(const CudaDriver& driver, int ordinal, CudaStream stream);

}  // namespace dlscope::core
