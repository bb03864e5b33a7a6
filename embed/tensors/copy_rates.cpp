#include "embed/tensors/copy_rates.h"

#include <map>
#include <mutex>
#include <optional>
#include <utility>

#include "core/devices/cuda_transfer.h"
#include "core/transfer/plain_copy.h"
#include "embed/tensors/device_memory.h"
#include "embed/without_gil.h"

namespace dlscope::embed {
namespace {

using Way = std::pair<core::DeviceId, core::DeviceId>;

// Bytes per nanosecond; 0: it could not be measured.
struct Rates {
  std::mutex mutex;
  std::map<Way, double> known;
};
Rates& rates() {
  static Rates* const kept = new Rates;  // leaked on purpose: used until the very end of the process
  return *kept;
}

double measured(const Way& way) {
  const bool from_device = is_on_cuda_device(way.first), to_device = is_on_cuda_device(way.second);
  if (!from_device && !to_device) return core::plain_copy_rate();
  const auto transfer = core::CudaTransfer::open(from_device ? way.first.id : way.second.id);
  if (!transfer) return 0;
  return (*transfer)->plain_rate(from_device ? core::CudaWay::to_host : core::CudaWay::to_device).value_or(0);
}

}  // namespace

std::uint64_t plain_copy_ns(core::DeviceId from, core::DeviceId to, std::uint64_t bytes, MeasureRate measure) {
  if (is_on_cuda_device(from) && is_on_cuda_device(to)) return 0;
  const auto place = [](core::DeviceId device) { return is_on_cuda_device(device) ? device : core::kCpuDevice; };
  const Way way{place(from), place(to)};
  std::optional<double> rate;
  {
    const std::lock_guard lock(rates().mutex);
    if (const auto known = rates().known.find(way); known != rates().known.end()) rate = known->second;
  }
  if (!rate && measure == MeasureRate::no) return 0;
  if (!rate) {
    {
      const WithoutGil released;
      rate = measured(way);
    }
    const std::lock_guard lock(rates().mutex);
    if (*rate > 0) rates().known.emplace(way, *rate);  // else there was no memory for it, which may pass
  }
  return *rate > 0 ? static_cast<std::uint64_t>(static_cast<double>(bytes) / *rate) : 0;
}

}  // namespace dlscope::embed
