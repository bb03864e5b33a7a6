// DeviceId: DLPack's (device_type, device_id) exactly as given, with the type's name and how its memory is addressed.
#pragma once

#include <compare>
#include <cstdint>
#include <string>

namespace dlscope::core {

struct DeviceId {
  std::int32_t type = 0;  // DLDeviceType number; unknown numbers are kept
  std::int32_t id = 0;
  friend constexpr auto operator<=>(DeviceId, DeviceId) = default;
};

inline constexpr DeviceId kCpuDevice{1, 0};

// "cpu", "cuda:0", "cuda_host:0", "oneapi:0", "device99:0". The id is left out for cpu with id 0.
[[nodiscard]] std::string device_name(DeviceId device);

// What a data pointer on this type of device is.
enum class DeviceMemory : std::uint8_t {
  host,     // a CPU load reaches it: cpu, cuda_host, cuda_managed, rocm_host
  device,   // an address in the device's own address space
  handle,   // an opaque handle, not an address: metal, opencl, vulkan
  unknown,  // a device type dlscope does not know
};
[[nodiscard]] DeviceMemory device_memory(DeviceId device);

}  // namespace dlscope::core
