// CudaTransfer: how fast the connection between host and device is.
#include <algorithm>
#include <limits>

#include "core/base/clock.h"
#include "core/devices/cuda_running.h"

namespace dlscope::core {

Result<double> CudaTransfer::plain_rate(CudaWay way) {
  constexpr int kTries = 3;  // the first one may wake the device up
  const auto memory = scratch();
  if (!memory) return std::unexpected(memory.error());
  auto running = Running::enter(*this);
  if (!running) return std::unexpected(running.error());
  Buffer& buffer = ring_.front();
  if (auto made = ready(buffer); !made) return std::unexpected(made.error());
  std::int64_t best_ns = std::numeric_limits<std::int64_t>::max();
  for (int i = 0; i < kTries; ++i) {
    const std::int64_t began_ns = monotonic_ns();
    auto done = copy_rows({*memory, sizes_.buffer_bytes, 1, sizes_.buffer_bytes}, buffer.bytes, way == CudaWay::to_host);
    if (done) done = record(buffer);
    if (done) done = wait(buffer);
    if (!done) return std::unexpected(done.error());
    best_ns = std::min(best_ns, std::max<std::int64_t>(monotonic_ns() - began_ns, 1));
  }
  running->finished();
  return static_cast<double>(sizes_.buffer_bytes) / static_cast<double>(best_ns);
}

}  // namespace dlscope::core
