#include "core/devices/stream_state.h"

namespace dlscope::core {

StreamState stream_state(const CudaDriver& driver, int ordinal, CudaStream stream) {
  const auto scope = CudaScope::enter(driver, ordinal);
  if (!scope || captures_graph(driver, ordinal)) return StreamState::unknown;
  int capturing = 0;
  if (stream != kCudaLegacyStream && (driver.entries().stream_is_capturing(stream, &capturing) != kCudaSuccess || capturing != 0))
    return StreamState::unknown;
  const int error = driver.entries().stream_query(stream);
  if (error == kCudaSuccess) return StreamState::done;
  return error == kCudaNotReady ? StreamState::busy : StreamState::unknown;
}

std::optional<bool> is_blocking_stream(const CudaDriver& driver, int ordinal, CudaStream stream) {
  constexpr unsigned kNonBlocking = 1;  // CU_STREAM_NON_BLOCKING
  const auto scope = CudaScope::enter(driver, ordinal);
  unsigned flags = 0;
  if (!scope || driver.entries().stream_flags(stream, &flags) != kCudaSuccess) return std::nullopt;
  return (flags & kNonBlocking) == 0;
}

}  // namespace dlscope::core
