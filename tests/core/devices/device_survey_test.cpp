#include "core/devices/device_survey.h"

#include <dlfcn.h>

#include <catch2/catch_test_macros.hpp>

#include "core/devices/proc_facts.h"

namespace dlscope::core {
namespace {

TEST_CASE("the CPU comes first, with a name and its memory", "[core][devices]") {
  const DeviceSurvey survey = survey_devices(CudaInit::only_if_initialised);
  REQUIRE_FALSE(survey.devices.empty());
  const SurveyedDevice& cpu = survey.devices.front();
  CHECK(cpu.device == kCpuDevice);
  CHECK_FALSE(cpu.name.empty());
  REQUIRE(cpu.total_bytes);
  REQUIRE(cpu.free_bytes);
  CHECK(*cpu.total_bytes >= *cpu.free_bytes);
  CHECK(*cpu.total_bytes > (std::uint64_t{64} << 20));
}

TEST_CASE("looking for a program's devices neither loads nor starts the CUDA driver", "[core][devices]") {
  if (dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD) != nullptr) SKIP("something in this process loaded libcuda.so.1 already");
  const DeviceSurvey survey = survey_devices(CudaInit::only_if_initialised);
  CHECK(survey.devices.size() == 1);
  CHECK(survey.cuda_status.find("not examined") != std::string::npos);
  CHECK(dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD) == nullptr);
}

TEST_CASE("without a driver the survey says so in words", "[core][devices]") {
  if (dlopen("libcuda.so.1", RTLD_NOW) != nullptr) SKIP("this machine has an NVIDIA driver");
  const DeviceSurvey survey = survey_devices(CudaInit::initialise);
  CHECK(survey.devices.size() == 1);
  CHECK(survey.cuda_status == "no NVIDIA driver here (libcuda.so.1 cannot be loaded)");
}

TEST_CASE("CUDA devices have names and memory", "[core][devices][gpu]") {
  const DeviceSurvey survey = survey_devices(CudaInit::initialise);
  if (survey.devices.size() == 1) SKIP("no CUDA device: " + survey.cuda_status);
  for (std::size_t i = 1; i < survey.devices.size(); ++i) {
    const SurveyedDevice& device = survey.devices[i];
    CHECK(device.device == DeviceId{2, static_cast<std::int32_t>(i) - 1});
    CHECK_FALSE(device.name.empty());
    CHECK(device.total_bytes.value_or(0) > (std::uint64_t{256} << 20));
    CHECK_FALSE(device.free_bytes);  // nobody made a context, and neither did we
  }
}

TEST_CASE("the CPU's name is found in the text of cpuinfo", "[core][devices]") {
  CHECK(cpu_name_in("processor\t: 0\nmodel name\t: AMD EPYC 9575F\nmodel name\t: other\n") == "AMD EPYC 9575F");
  CHECK(cpu_name_in("processor\t: 0\nModel\t\t: Raspberry Pi 5\n") == "Raspberry Pi 5");
  CHECK(cpu_name_in("model name\t:\n") == "");
  CHECK(cpu_name_in("no colon here") == "");
  CHECK(cpu_name_in("") == "");
}

TEST_CASE("sizes are found in the text of meminfo", "[core][devices]") {
  const char* text =
      "MemTotal:       24625468 kB\nMemFree:  12 kB\nHugePages_Total:       5\nBroken: x kB\nHuge: 18446744073709551615 kB\n";
  CHECK(memory_in(text, "MemTotal") == 24625468ull * 1024);
  CHECK(memory_in(text, "MemFree") == 12ull * 1024);
  CHECK_FALSE(memory_in(text, "HugePages_Total"));
  CHECK_FALSE(memory_in(text, "Broken"));
  CHECK_FALSE(memory_in(text, "Huge"));
  CHECK_FALSE(memory_in(text, "Mem"));
  CHECK_FALSE(memory_in("", "MemTotal"));
}

}  // namespace
}  // namespace dlscope::core
