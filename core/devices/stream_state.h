// What the driver says about one of the program's streams. Does not wait for the stream and creates no context. thread: any.
#pragma once

#include <optional>

#include "core/devices/cuda_driver.h"

namespace dlscope::core {

enum class StreamState : std::uint8_t {
  done,     // all its work is done
  busy,
  unknown,  // no such stream, no active context, or a CUDA graph is being captured
};

// Does not query a stream from which a CUDA graph is being captured, because that would invalidate the capture.
[[nodiscard]] StreamState stream_state(const CudaDriver& driver, int ordinal, CudaStream stream);
// Whether the stream is synchronised with the legacy default stream (in both directions); nullopt: unknown.
[[nodiscard]] std::optional<bool> is_blocking_stream(const CudaDriver& driver, int ordinal, CudaStream stream);

}  // namespace dlscope::core
