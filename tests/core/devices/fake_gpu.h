// FakeGpu: the fake driver at the start of a test, initialised by "the program", and what it must look like at the end.
#pragma once

#include <catch2/catch_test_macros.hpp>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <span>

#include "core/devices/cuda_driver.h"
#include "fake_cuda.h"

extern "C" {
int cuInit(unsigned flags);
int cuMemFree_v2(std::uint64_t address);
}

namespace dlscope::core {

class FakeGpu {
 public:
  enum class Program { idle, initialised };
  explicit FakeGpu(Program program = Program::initialised) {
    fake_cuda_reset();
    if (program == Program::initialised) REQUIRE(cuInit(0) == 0);
  }
  ~FakeGpu() { fake_cuda_reset(); }
  FakeGpu(const FakeGpu&) = delete;
  FakeGpu& operator=(const FakeGpu&) = delete;

  // Device memory with these bytes in it.
  [[nodiscard]] std::uint64_t filled(int device, std::span<const std::byte> bytes) const {
    const std::uint64_t address = fake_cuda_allocate("device", device, bytes.size());
    REQUIRE(address != 0);
    std::memcpy(fake_cuda_shadow(address), bytes.data(), bytes.size());
    return address;
  }
  [[nodiscard]] CudaDriver driver() const {
    auto opened = CudaDriver::open(CudaInit::only_if_initialised);
    REQUIRE(opened);
    return std::move(*opened);
  }
  // From now on as in a build without them, or under a driver that is too old for them.
  static void without_kernels() { fake_cuda_fail("cuModuleLoadData", 200, 0); }
  // Nothing of ours is left: no handle, no pinned memory, no context, nothing that nobody waited for.
  static void check_clean(int retained_by_program) {
    CHECK(fake_cuda_count("stream") == 0);
    CHECK(fake_cuda_count("event") == 0);
    CHECK(fake_cuda_count("pinned") == 0);
    CHECK(fake_cuda_count("module") == 0);
    CHECK(fake_cuda_count("pending") == 0);
    CHECK(fake_cuda_count("pageable") == 0);
    CHECK(fake_cuda_count("freed in use") == 0);
    CHECK(fake_cuda_count("retained") == retained_by_program);
  }
};

}  // namespace dlscope::core
