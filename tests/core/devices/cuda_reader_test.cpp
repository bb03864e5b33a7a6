#include "core/devices/cuda_reader.h"

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <numeric>
#include <vector>

#include "fake_gpu.h"

namespace dlscope::core {
namespace {

std::vector<std::byte> counting(std::size_t bytes) {
  std::vector<std::byte> out(bytes);
  for (std::size_t i = 0; i < bytes; ++i) out[i] = static_cast<std::byte>(i * 7);
  return out;
}

std::unique_ptr<CudaReader> reader_of(int ordinal) {
  auto made = CudaReader::open(ordinal);
  REQUIRE(made);
  return std::move(*made);
}

TEST_CASE("device memory is read like any other, short at its end", "[core][devices][cuda]") {
  const FakeGpu gpu;
  fake_cuda_activate(0);
  const auto source = counting(1000);
  const Address memory = gpu.filled(0, source);
  {
    const auto reader = reader_of(0);
    std::vector<std::byte> out(300);
    CHECK(reader->read(memory + 10, out) == 300);
    CHECK(std::equal(out.begin(), out.end(), source.begin() + 10));
    CHECK(reader->read(memory + 900, out) == 100);
    CHECK(reader->read(memory + 1000, out) == 0);
    CHECK(reader->problem().ends_with("is no memory that the driver knows, not memory of cuda:0"));
  }
  FakeGpu::check_clean(1);
}

TEST_CASE("what is not this device's memory is not read", "[core][devices][cuda]") {
  const FakeGpu gpu;
  fake_cuda_activate(0);
  fake_cuda_activate(1);
  const Address elsewhere = fake_cuda_allocate("device", 1, 64), pinned = fake_cuda_allocate("pinned", 0, 64);
  const auto reader = reader_of(0);
  std::byte out[8];
  static const std::byte own[8]{};
  for (const Address address : {elsewhere, pinned, reinterpret_cast<Address>(own), Address{0}, ~Address{0}}) {
    CHECK(reader->read(address, out) == 0);
    CHECK_FALSE(reader->problem().empty());
  }
  CHECK(fake_cuda_calls("cuMemcpyDtoHAsync_v2") == 0);
  const std::uint64_t freed = fake_cuda_allocate("device", 0, 64);
  CHECK(reader->read(freed, out) == 8);
  {
    const CudaDriver driver = gpu.driver();
    const auto scope = CudaScope::enter(driver, 0);
    REQUIRE(cuMemFree_v2(freed) == 0);
  }
  CHECK(reader->read(freed, out) == 0);
}

TEST_CASE("addresses are probed without a touch", "[core][devices][cuda]") {
  const FakeGpu gpu;
  fake_cuda_activate(0);
  const Address memory = fake_cuda_allocate("device", 0, 64);
  const auto reader = reader_of(0);
  const Address addresses[] = {memory, memory + 63, memory + 64, 0};
  std::uint8_t readable[4];
  reader->probe(addresses, readable);
  CHECK(std::vector<int>(readable, readable + 4) == std::vector<int>{1, 1, 0, 0});
  CHECK(fake_cuda_calls("cuMemcpyDtoHAsync_v2") == 0);
}

TEST_CASE("a strided window is one copy of rows; scattered pieces come together", "[core][devices][cuda]") {
  const FakeGpu gpu;
  fake_cuda_activate(0);
  const auto source = counting(4000);
  const Address memory = gpu.filled(0, source);
  const auto reader = reader_of(0);
  std::vector<Address> addresses(50);
  std::vector<std::byte> out(50 * 4);
  std::vector<std::uint8_t> complete(50);
  const auto check = [&] {
    for (std::size_t i = 0; i < addresses.size(); ++i) {
      const bool inside = addresses[i] + 4 <= memory + 4000;
      CHECK(complete[i] == (inside ? 1 : 0));
      if (inside) CHECK(std::memcmp(out.data() + i * 4, source.data() + (addresses[i] - memory), 4) == 0);
    }
  };
  for (std::size_t i = 0; i < 50; ++i) addresses[i] = memory + i * 64;
  reader->gather(addresses, 4, out, complete);
  check();
  CHECK(fake_cuda_calls("cuMemcpy2DAsync_v2") == 1);
  for (std::size_t i = 0; i < 50; ++i) addresses[i] = memory + (i * 997) % 4200;
  reader->gather(addresses, 4, out, complete);
  check();
  CHECK(fake_cuda_calls("cuEventSynchronize") == 2);
  for (std::size_t i = 0; i < 50; ++i) addresses[i] = memory + 3000 - i * 60;  // backwards
  reader->gather(addresses, 4, out, complete);
  check();
}

TEST_CASE("a failed copy reads nothing and says why", "[core][devices][cuda]") {
  const FakeGpu gpu;
  fake_cuda_activate(0);
  const Address memory = fake_cuda_allocate("device", 0, 64);
  const auto reader = reader_of(0);
  std::byte out[8];
  fake_cuda_fail("cuMemcpyDtoHAsync_v2", 700, 0);
  CHECK(reader->read(memory, out) == 0);
  CHECK(reader->problem() == "copying from cuda:0 failed: CUDA_ERROR_ILLEGAL_ADDRESS");
  std::uint8_t complete[1] = {1};
  reader->gather(std::vector<Address>{memory}, 8, out, complete);
  CHECK(complete[0] == 0);
}

}  // namespace
}  // namespace dlscope::core
