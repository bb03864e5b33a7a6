// DeviceId: DLPack's (device_type, device_id) exactly as given, and what dlscope knows about the type.
#pragma once

#include <cstdint>
#include <string>

namespace dlscope::core {

struct DeviceId {
  std::int32_t type = 0;  // DLDeviceType number; unknown numbers are kept
  std::int32_t id = 0;
  friend constexpr bool operator==(DeviceId, DeviceId) = default;
};

inline constexpr DeviceId kCpuDevice{1, 0};

// "cpu", "cuda:0", "cuda_host:0", "oneapi:0", "device99:0". The id is left out for cpu with id 0.
[[nodiscard]] std::string device_name(DeviceId device);

// How an address on this kind of device may be used.
enum class DeviceMemory : std::uint8_t {
  host,     // a CPU load reaches it: cpu, cuda_host, cuda_managed, rocm_host
  device,   // an address in the device's own space
  handle,   // not an address: metal, opencl, vulkan
  unknown,  // a type dlscope has never heard of
};
[[nodiscard]] DeviceMemory device_memory(DeviceId device);

}  // namespace dlscope::core
