// A driver that lacks entry points: linked, so that it is the process's driver.
#include <catch2/catch_test_macros.hpp>

#include "core/devices/device_survey.h"
#include "fake_cuda.h"

namespace dlscope::core {
namespace {

TEST_CASE("a driver that is too old is said to be", "[core][devices][cuda]") {
  fake_cuda_reset();
  const DeviceSurvey survey = survey_devices(CudaInit::initialise);
  CHECK(survey.devices.size() == 1);
  CHECK(survey.cuda_status == "the NVIDIA driver is too old (CUDA 11 or newer is needed)");
  CHECK(fake_cuda_calls("cuInit") == 0);
}

}  // namespace
}  // namespace dlscope::core
