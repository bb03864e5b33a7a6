// SnapshotBuilder: what the CUDA driver says about the tensors' addresses, compared with what their producers claim.
#include <fmt/format.h>

#include <optional>

#include "core/devices/cuda_pointer.h"
#include "core/inventory/snapshot_builder.h"

namespace dlscope::core {
namespace {

constexpr std::int32_t kCpu = 1, kCuda = 2, kCudaHost = 3, kCudaManaged = 13;  // DLDeviceType

// The device types that the CUDA driver knows about.
bool is_the_drivers(std::int32_t device_type) {
  return device_type == kCpu || device_type == kCuda || device_type == kCudaHost || device_type == kCudaManaged;
}

// Whether the driver's answer agrees with the producer's device. Managed
// memory counts as host and as device memory, pinned memory as host memory.
bool is_where_told(DeviceId told, const CudaPointer& found) {
  switch (found.memory) {
    case CudaMemory::device:
      return told.type == kCuda && (found.ordinal < 0 || told.id == found.ordinal);
    case CudaMemory::pinned:
      return told.type == kCpu || told.type == kCudaHost;
    case CudaMemory::managed:
      return told.type != kCudaHost;
    default:
      return told.type == kCpu;
  }
}

// Asks the driver, once per allocation.
class Pointers {
 public:
  explicit Pointers(const CudaDriver& driver) : driver_(driver) {}
  [[nodiscard]] Result<CudaPointer> at(Address address) {
    if (last_.allocation && last_.allocation->contains(address)) return last_;
    if (error_) return std::unexpected(*error_);
    auto found = look_up_cuda_pointer(driver_, address);
    if (found) {
      last_ = *found;
    } else {
      error_ = found.error();  // a driver in this state answers no further questions
    }
    return found;
  }

 private:
  const CudaDriver& driver_;
  CudaPointer last_;
  std::optional<Error> error_;
};

}  // namespace

void SnapshotBuilder::ask_driver(const AnalyseOptions& options) {
  Snapshot& s = *snapshot_;
  Pointers pointers(*options.cuda);
  contradicted_by_driver_.assign(s.tensors.size(), 0);
  for (std::uint32_t id = 0; id < s.tensors.size() && !options.sharing.stop.stop_requested(); ++id) {
    TensorRecord& t = s.tensors[id];
    if (!t.has_metadata || t.data == 0 || !is_the_drivers(t.device.type) || t.protocol == Protocol::file) continue;
    if (is_copy_for_export(t) && !options.exports_are_held) continue;
    if (t.has_layout && t.extent.empty()) continue;
    const Address first = t.has_layout ? t.extent.begin : t.address;
    const Address last = t.has_layout ? t.extent.end - 1 : t.address;
    const Result<CudaPointer> found = pointers.at(first);
    const Result<CudaPointer> end = found ? pointers.at(last) : found;
    if (!found || !end) {
      if (t.device.type != kCpu) add_remark(id, RemarkCode::memory_not_told, found ? end.error().message : found.error().message);
      continue;
    }
    const bool on_device = found->memory == CudaMemory::device || end->memory == CudaMemory::device;
    if (t.device.type == kCpu && !on_device && device_of(*found) != device_of(*end)) continue;  // only partly registered (pinned)
    const bool is_one_memory = device_of(*found) == device_of(*end);
    const std::string told = device_name(t.device);
    if (!is_where_told(t.device, *found)) {
      contradicted_by_driver_[id] = 1;
      add_remark(id, RemarkCode::device_mismatch,
                 fmt::format("described as {}, but the CUDA driver says that {:#x} is {}", told, first, pointer_text(*found)));
    } else if (!is_one_memory) {
      contradicted_by_driver_[id] = 1;
      add_remark(id, RemarkCode::extent_unreadable,
                 fmt::format("the CUDA driver says that the first byte, at {:#x}, is {}, and the last, at {:#x}, is {}", first,
                             pointer_text(*found), last, pointer_text(*end)));
    } else if (found->memory == CudaMemory::managed ? t.device.type != kCudaManaged : t.device.type == kCpu) {
      if (device_of(*found))
        add_remark(id, RemarkCode::memory_kind, fmt::format("{}, described as {}", pointer_text(*found), told));
    }
    if (!is_one_memory) continue;  // the tensor spans several allocations
    if (const std::optional<DeviceId> device = device_of(*found)) s.driver_devices.push_back({*device, id});
    // Of host memory the producer's answer is the narrower one: the driver knows what was registered or pinned.
    if (found->allocation && found->allocation->contains(last) && t.allocation == kNone32)
      set_allocation(t, *found->allocation, AllocationSource::driver);
  }
}

}  // namespace dlscope::core
