#include "core/devices/cuda_driver.h"

#include <catch2/catch_test_macros.hpp>

#include "core/devices/device_survey.h"
#include "fake_gpu.h"

namespace dlscope::core {
namespace {

TEST_CASE("a driver that the program has not initialised is not initialised by looking", "[core][devices][cuda]") {
  const FakeGpu gpu(FakeGpu::Program::idle);
  const auto driver = CudaDriver::open(CudaInit::only_if_initialised);
  REQUIRE_FALSE(driver);
  CHECK(driver.error().message == "the program has not initialised CUDA; it was not examined");
  CHECK(fake_cuda_calls("cuInit") == 0);
}

TEST_CASE("the devices of an initialised driver are told without a context", "[core][devices][cuda]") {
  const FakeGpu gpu;
  const DeviceSurvey survey = survey_devices(CudaInit::only_if_initialised);
  REQUIRE(survey.devices.size() == 3);
  CHECK(survey.cuda_status == "driver for CUDA 12.4, 2 devices");
  CHECK(survey.devices[2].device == DeviceId{2, 1});
  CHECK(survey.devices[2].name == "Fake GPU");
  CHECK(survey.devices[2].total_bytes == std::uint64_t{8} << 30);
  CHECK_FALSE(survey.devices[2].free_bytes);
  CHECK(fake_cuda_calls("cuDevicePrimaryCtxRetain") == 0);
}

TEST_CASE("free memory is told in a context that is active already, which is given back", "[core][devices][cuda]") {
  const FakeGpu gpu;
  fake_cuda_activate(1);
  REQUIRE(fake_cuda_allocate("device", 1, 4096) != 0);
  const DeviceSurvey survey = survey_devices(CudaInit::only_if_initialised);
  REQUIRE(survey.devices.size() == 3);
  CHECK_FALSE(survey.devices[1].free_bytes);
  CHECK(survey.devices[2].free_bytes == (std::uint64_t{8} << 30) - 4096);
  CHECK(fake_cuda_count("retained") == 1);
}

TEST_CASE("a process of its own initialises the driver", "[core][devices][cuda]") {
  const FakeGpu gpu(FakeGpu::Program::idle);
  CHECK(survey_devices(CudaInit::initialise).devices.size() == 3);
  CHECK(fake_cuda_calls("cuInit") == 1);
}

TEST_CASE("what the driver refuses is told in its words", "[core][devices][cuda]") {
  const FakeGpu gpu(FakeGpu::Program::idle);
  fake_cuda_fail("cuInit", 2, 0);
  CHECK(survey_devices(CudaInit::initialise).cuda_status == "the NVIDIA driver does not start: CUDA_ERROR_OUT_OF_MEMORY");
  fake_cuda_fail("cuInit", 12345, 0);
  CHECK(survey_devices(CudaInit::initialise).cuda_status == "the NVIDIA driver does not start: error 12345");
  fake_cuda_fail("cuInit", 100, 0);
  CHECK(survey_devices(CudaInit::initialise).cuda_status == "the NVIDIA driver is there, but no device is visible");
  fake_cuda_fail("cuInit", 0, 0);
  fake_cuda_fail("cuDeviceGetCount", 700, 0);
  CHECK(survey_devices(CudaInit::initialise).cuda_status ==
        "asking the NVIDIA driver for its devices failed: CUDA_ERROR_ILLEGAL_ADDRESS");
}

TEST_CASE("a context is entered only where one is active", "[core][devices][cuda]") {
  const FakeGpu gpu;
  const CudaDriver driver = gpu.driver();
  const auto none = CudaScope::enter(driver, 0);
  REQUIRE_FALSE(none);
  CHECK(none.error().message == "the program has no active primary context on cuda:0, and none is created just to read from it");
  const auto absent = CudaScope::enter(driver, 7);
  REQUIRE_FALSE(absent);
  CHECK(absent.error().message == "cuda:7 failed: CUDA_ERROR_INVALID_DEVICE");
  CHECK(fake_cuda_calls("cuDevicePrimaryCtxRetain") == 0);

  fake_cuda_activate(0);
  {
    const auto scope = CudaScope::enter(driver, 0);
    REQUIRE(scope);
    CHECK(fake_cuda_count("retained") == 2);
  }
  CHECK(fake_cuda_count("retained") == 1);
  fake_cuda_fail("cuCtxPushCurrent_v2", 709, 0);
  const auto lost = CudaScope::enter(driver, 0);
  REQUIRE_FALSE(lost);
  CHECK(lost.error().message == "the context of cuda:0 failed: CUDA_ERROR_CONTEXT_IS_DESTROYED");
  CHECK(fake_cuda_count("retained") == 1);
}

}  // namespace
}  // namespace dlscope::core
