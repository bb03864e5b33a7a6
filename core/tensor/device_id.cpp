#include "core/tensor/device_id.h"

#include <fmt/core.h>

#include <array>

namespace dlscope::core {
namespace {

struct DeviceKind {
  std::int32_t type;
  const char* name;
  DeviceMemory memory;
};

// DLDeviceType of dlpack.h 1.3.
constexpr std::array kDevices{
    DeviceKind{1, "cpu", DeviceMemory::host},           DeviceKind{2, "cuda", DeviceMemory::device},
    DeviceKind{3, "cuda_host", DeviceMemory::host},     DeviceKind{4, "opencl", DeviceMemory::handle},
    DeviceKind{7, "vulkan", DeviceMemory::handle},      DeviceKind{8, "metal", DeviceMemory::handle},
    DeviceKind{9, "vpi", DeviceMemory::device},         DeviceKind{10, "rocm", DeviceMemory::device},
    DeviceKind{11, "rocm_host", DeviceMemory::host},    DeviceKind{12, "ext_dev", DeviceMemory::device},
    DeviceKind{13, "cuda_managed", DeviceMemory::host}, DeviceKind{14, "oneapi", DeviceMemory::device},
    DeviceKind{15, "webgpu", DeviceMemory::handle},     DeviceKind{16, "hexagon", DeviceMemory::device},
    DeviceKind{17, "maia", DeviceMemory::device},       DeviceKind{18, "trn", DeviceMemory::device},
};

const DeviceKind* find_kind(DeviceId device) {
  for (const DeviceKind& kind : kDevices) {
    if (kind.type == device.type) return &kind;
  }
  return nullptr;
}

}  // namespace

std::string device_name(DeviceId device) {
  if (device == kCpuDevice) return "cpu";
  const DeviceKind* kind = find_kind(device);
  return kind ? fmt::format("{}:{}", kind->name, device.id) : fmt::format("device{}:{}", device.type, device.id);
}

DeviceMemory device_memory(DeviceId device) {
  const DeviceKind* kind = find_kind(device);
  return kind ? kind->memory : DeviceMemory::unknown;
}

}  // namespace dlscope::core
