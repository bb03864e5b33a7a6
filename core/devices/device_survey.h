// Which devices this machine has, as far as can be told without changing anything for the program that runs here.
// CUDA is reached through libcuda.so.1 at run time; no context is ever created.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/tensor/device_id.h"

namespace dlscope::core {

enum class CudaLook : std::uint8_t {
  // In a process that runs user code: asks only a driver which the program itself has loaded and initialised. cuInit
  // would start driver threads and make CUDA unusable in children the program forks later.
  only_if_initialised,
  // In a process of its own: loads and initialises the driver.
  initialise,
};

struct SurveyedDevice {
  DeviceId device;
  std::string name;  // "AMD EPYC 9575F", "NVIDIA H200"; "cpu" when the system does not tell
  std::optional<std::uint64_t> total_bytes;
  std::optional<std::uint64_t> free_bytes;  // CUDA: only when the device's primary context is already active
};

struct DeviceSurvey {
  std::vector<SurveyedDevice> devices;  // the CPU first
  std::string cuda_status;              // one line: what was found, or why nothing was
};

// thread: any. Milliseconds; `initialise` may take a second. Never fails: what cannot be told is left out.
[[nodiscard]] DeviceSurvey survey_devices(CudaLook look);

}  // namespace dlscope::core
