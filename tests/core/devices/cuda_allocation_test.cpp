#include "core/devices/cuda_allocation.h"

#include <catch2/catch_test_macros.hpp>
#include <optional>
#include <thread>

#include "core/devices/cuda_pointer.h"
#include "fake_gpu.h"

namespace dlscope::core {
namespace {

TEST_CASE("memory on a device is what was asked for, and is given back with its context from any thread",
          "[core][devices][cuda]") {
  for (const auto program : {FakeGpu::Program::idle, FakeGpu::Program::initialised}) {
    const FakeGpu gpu(program);
    for (const DeviceId device : {DeviceId{2, 1}, DeviceId{3, 0}, DeviceId{13, 1}}) {
      auto made = CudaAllocation::make(device, 1000);
      REQUIRE(made);
      const auto found = look_up_cuda_pointer(gpu.driver(), made->address());
      REQUIRE(found);
      CHECK(device_of(*found) == device);
      CHECK(found->allocation->size() == 1000);
      CHECK(fake_cuda_count("retained") == 1);  // the program has no context of its own: this one is made, and stays as long
      std::optional<CudaAllocation> moved(std::move(*made));
      std::thread([&] { moved.reset(); }).join();
      CHECK_FALSE(look_up_cuda_pointer(gpu.driver(), found->allocation->begin)->allocation);
      FakeGpu::check_clean(0);
    }
  }
}

TEST_CASE("memory that cannot be had is refused in words and leaves nothing", "[core][devices][cuda]") {
  const FakeGpu gpu;
  const auto refusal = [](DeviceId device, std::size_t bytes = 100) {
    const auto made = CudaAllocation::make(device, bytes);
    REQUIRE_FALSE(made);
    FakeGpu::check_clean(0);
    return made.error().message;
  };
  CHECK(refusal({2, 7}) == "there is no cuda:7: the CUDA driver has 2 devices");
  CHECK(refusal({2, -1}) == "there is no cuda:-1: the CUDA driver has 2 devices");
  CHECK(refusal({8, 0}) == "the CUDA driver has no memory on metal:0");
  CHECK(refusal({2, 0}, std::size_t{1} << 37) ==
        "137438953472 bytes do not fit on cuda:0: 8589934592 of 8589934592 are free there");
  fake_cuda_fail("cuDevicePrimaryCtxRetain", 2, 1);
  CHECK(refusal({2, 0}) == "the context of cuda:0 failed: CUDA_ERROR_OUT_OF_MEMORY");
  fake_cuda_fail("cuDevicePrimaryCtxRetain", 0, 0);
  fake_cuda_fail("cuMemAllocManaged", 801, 0);
  CHECK(refusal({13, 0}) == "allocating 100 bytes on cuda_managed:0 failed: error 801");
}

TEST_CASE("memory whose context was lost can still be let go", "[core][devices][cuda]") {
  const FakeGpu gpu;
  {
    const auto made = CudaAllocation::make({2, 0}, 100);
    REQUIRE(made);
    fake_cuda_fail("*", 709, 0);
  }
  CHECK(fake_cuda_count("retained") == 0);
}

}  // namespace
}  // namespace dlscope::core
