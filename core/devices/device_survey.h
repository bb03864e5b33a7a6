// Which devices this machine has, as far as that can be found out without side effects on the program in this process. CUDA is
// used through libcuda.so.1, loaded at run time; no context is created.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/tensor/device_id.h"

namespace dlscope::core {

enum class CudaInit : std::uint8_t {
  // For a process that runs user code: uses the driver only if the program itself has loaded and initialised it, because cuInit()
  // starts driver threads and makes CUDA unusable in children that the program forks later.
  only_if_initialised,
  // For a process of our own: loads and initialises the driver.
  initialise,
};

struct SurveyedDevice {
  DeviceId device;
  std::string name;  // "AMD EPYC 9575F", "NVIDIA H200"; "cpu" if the system does not say
  std::optional<std::uint64_t> total_bytes;
  std::optional<std::uint64_t> free_bytes;  // CUDA: only if the device's primary context is already active
};

struct DeviceSurvey {
  std::vector<SurveyedDevice> devices;  // the CPU first
  std::string cuda_status;              // one line: what was found, or why nothing was
};

// thread: any. Takes milliseconds; with `initialise` up to a second. Never fails: what cannot be found out is left out.
[[nodiscard]] DeviceSurvey survey_devices(CudaInit init);

}  // namespace dlscope::core
