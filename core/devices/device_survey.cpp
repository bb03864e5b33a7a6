#include "core/devices/device_survey.h"

#include <fstream>
#include <iterator>

#include "core/devices/cuda_driver.h"
#include "core/devices/proc_facts.h"

namespace dlscope::core {
namespace {

std::string text_of(const char* path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

SurveyedDevice survey_cpu() {
  const std::string memory = text_of("/proc/meminfo");
  SurveyedDevice cpu{kCpuDevice, cpu_name_in(text_of("/proc/cpuinfo")), memory_in(memory, "MemTotal"),
                     memory_in(memory, "MemAvailable")};
  if (cpu.name.empty()) cpu.name = "cpu";
  return cpu;
}

void survey_cuda(CudaInit init, DeviceSurvey& out) {
  const Result<CudaDriver> driver = CudaDriver::open(init);
  if (!driver) {
    out.cuda_status = driver.error().message;
    return;
  }
  const int count = driver->device_count();
  out.cuda_status = "driver for CUDA " + driver->version() + ", " + std::to_string(count) + (count == 1 ? " device" : " devices");
  for (int ordinal = 0; ordinal < count; ++ordinal) {
    Result<SurveyedDevice> device = driver->describe(ordinal);
    if (device) {
      out.devices.push_back(std::move(*device));
    } else {
      out.cuda_status += "; " + device.error().message;
    }
  }
}

}  // namespace

DeviceSurvey survey_devices(CudaInit init) {
  DeviceSurvey out;
  out.devices.push_back(survey_cpu());
  survey_cuda(init, out);
  return out;
}

}  // namespace dlscope::core
