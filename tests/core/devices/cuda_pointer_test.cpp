#include "core/devices/cuda_pointer.h"

#include <catch2/catch_test_macros.hpp>

#include "fake_gpu.h"

namespace dlscope::core {
namespace {

TEST_CASE("an address on a device has a device, an allocation and an identity", "[core][devices][cuda]") {
  const FakeGpu gpu;
  const CudaDriver driver = gpu.driver();
  const std::uint64_t first = fake_cuda_allocate("device", 0, 4096), second = fake_cuda_allocate("device", 1, 512);
  const auto inside = look_up_cuda_pointer(driver, first + 100);
  REQUIRE(inside);
  CHECK(inside->memory == CudaMemory::device);
  CHECK(inside->ordinal == 0);
  CHECK(inside->allocation == ByteRange{first, first + 4096});
  CHECK(device_of(*inside) == DeviceId{2, 0});
  CHECK(pointer_text(*inside) == "memory of cuda:0");

  const auto other = look_up_cuda_pointer(driver, second);
  REQUIRE(other);
  CHECK(device_of(*other) == DeviceId{2, 1});
  CHECK(other->allocation == ByteRange{second, second + 512});
  CHECK(other->buffer_id != inside->buffer_id);

  const auto beyond = look_up_cuda_pointer(driver, first + 4096);
  REQUIRE(beyond);
  CHECK(beyond->memory == CudaMemory::unknown_to_driver);
  CHECK_FALSE(beyond->allocation);
}

TEST_CASE("pinned and managed memory are told apart from the host's own", "[core][devices][cuda]") {
  const FakeGpu gpu;
  const CudaDriver driver = gpu.driver();
  const auto pinned = look_up_cuda_pointer(driver, fake_cuda_allocate("pinned", 0, 4096));
  REQUIRE(pinned);
  CHECK(device_of(*pinned) == DeviceId{3, 0});
  CHECK(pointer_text(*pinned) == "pinned host memory");
  const auto managed = look_up_cuda_pointer(driver, fake_cuda_allocate("managed", 1, 4096));
  REQUIRE(managed);
  CHECK(device_of(*managed) == DeviceId{13, 1});
  CHECK(pointer_text(*managed) == "managed memory of cuda:1");
  const int own = 0;
  const auto host = look_up_cuda_pointer(driver, reinterpret_cast<Address>(&own));
  REQUIRE(host);
  CHECK(host->memory == CudaMemory::unknown_to_driver);
  CHECK_FALSE(device_of(*host));
  CHECK(pointer_text(*host) == "no memory that the driver knows");
}

TEST_CASE("asking what an address is makes no context and touches no memory", "[core][devices][cuda]") {
  const FakeGpu gpu;
  const CudaDriver driver = gpu.driver();
  REQUIRE(look_up_cuda_pointer(driver, fake_cuda_allocate("device", 0, 64)));
  CHECK(fake_cuda_calls("cuInit") == 1);  // the program's
  CHECK(fake_cuda_calls("cuDevicePrimaryCtxRetain") == 0);
  CHECK(fake_cuda_calls("cuCtxPushCurrent_v2") == 0);
  CHECK(fake_cuda_calls("cuMemcpyDtoHAsync_v2") == 0);
}

TEST_CASE("a driver that knows no allocations says so", "[core][devices][cuda]") {
  ::setenv("FAKE_CUDA_VERSION", "10020", 1);
  {
    const FakeGpu gpu;
    const auto unknown = look_up_cuda_pointer(gpu.driver(), fake_cuda_allocate("device", 0, 64));
    REQUIRE_FALSE(unknown);
    CHECK(unknown.error().message == "asking the CUDA driver about an address failed: CUDA_ERROR_INVALID_VALUE");
  }
  ::unsetenv("FAKE_CUDA_VERSION");
}

TEST_CASE("an address that the driver does not answer for fails in words", "[core][devices][cuda]") {
  const FakeGpu gpu;
  const CudaDriver driver = gpu.driver();
  const std::uint64_t address = fake_cuda_allocate("device", 0, 64);
  fake_cuda_fail("cuPointerGetAttributes", 700, 0);
  const auto lost = look_up_cuda_pointer(driver, address);
  REQUIRE_FALSE(lost);
  CHECK(lost.error().message == "asking the CUDA driver about an address failed: CUDA_ERROR_ILLEGAL_ADDRESS");
}

}  // namespace
}  // namespace dlscope::core
