#include "core/tensor/device_id.h"

#include <dlpack/dlpack.h>

#include <catch2/catch_test_macros.hpp>
#include <limits>

namespace dlscope::core {
namespace {

TEST_CASE("a device's name is its kind and number", "[tensor]") {
  CHECK(device_name({kDLCPU, 0}) == "cpu");
  CHECK(device_name({kDLCPU, 7}) == "cpu:7");
  CHECK(device_name({kDLCUDA, 0}) == "cuda:0");
  CHECK(device_name({kDLCUDAHost, 0}) == "cuda_host:0");
  CHECK(device_name({kDLOneAPI, 2}) == "oneapi:2");
  CHECK(device_name({99, 0}) == "device99:0");
  CHECK(device_name({0, -1}) == "device0:-1");
  CHECK(device_name({std::numeric_limits<std::int32_t>::min(), 0}) == "device-2147483648:0");
}

TEST_CASE("only memory that a CPU load reaches counts as host", "[tensor]") {
  for (const int type : {kDLCPU, kDLCUDAHost, kDLROCMHost, kDLCUDAManaged}) CHECK(device_memory({type, 0}) == DeviceMemory::host);
  for (const int type : {kDLCUDA, kDLROCM, kDLOneAPI, kDLHexagon, kDLTrn})
    CHECK(device_memory({type, 0}) == DeviceMemory::device);
  for (const int type : {kDLOpenCL, kDLVulkan, kDLMetal, kDLWebGPU}) CHECK(device_memory({type, 0}) == DeviceMemory::handle);
  for (const int type : {0, 5, 6, 19, 99, -1}) CHECK(device_memory({type, 0}) == DeviceMemory::unknown);
}

TEST_CASE("every device type of dlpack.h has a name", "[tensor]") {
  for (const int type : {kDLCPU, kDLCUDA, kDLCUDAHost, kDLOpenCL, kDLVulkan, kDLMetal, kDLVPI, kDLROCM, kDLROCMHost, kDLExtDev,
                         kDLCUDAManaged, kDLOneAPI, kDLWebGPU, kDLHexagon, kDLMAIA, kDLTrn}) {
    CAPTURE(type);
    CHECK_FALSE(device_name({type, 1}).starts_with("device"));
    CHECK(device_memory({type, 1}) != DeviceMemory::unknown);
  }
}

}  // namespace
}  // namespace dlscope::core
