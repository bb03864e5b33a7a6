#include "core/devices/cuda_transfer.h"

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <string>
#include <vector>

#include "fake_gpu.h"

extern "C" int cuMemsetD8Async(std::uint64_t to, unsigned char value, std::size_t bytes, void* stream);

namespace dlscope::core {
namespace {

std::vector<std::byte> pattern(std::size_t bytes) {
  std::vector<std::byte> out(bytes);
  for (std::size_t i = 0; i < bytes; ++i) out[i] = static_cast<std::byte>((i * 2654435761u) >> 13);
  return out;
}

std::unique_ptr<CudaTransfer> opened(int ordinal, CudaRing options) {
  auto made = CudaTransfer::open(ordinal, options);
  REQUIRE(made);
  return std::move(*made);
}

constexpr CudaRing kSmall{.buffer_bytes = 256, .buffers = 2};

TEST_CASE("bytes come through the ring whole, whatever their number", "[core][devices][cuda]") {
  const FakeGpu gpu;
  fake_cuda_activate(1);
  for (const std::size_t buffers : {1u, 2u, 3u}) {
    const auto transfer = opened(1, {.buffer_bytes = 256, .buffers = buffers});
    for (const std::size_t bytes : {0u, 1u, 255u, 256u, 257u, 512u, 1000u, 5000u}) {
      const auto source = pattern(bytes + 1);
      const Address memory = gpu.filled(1, source);
      std::vector<std::byte> out(bytes);
      REQUIRE(transfer->to_host({memory + 1, bytes, 1, bytes}, out.data(), 0));
      CHECK(std::equal(out.begin(), out.end(), source.begin() + 1));
      const auto other = pattern(2 * bytes);
      REQUIRE(transfer->to_device(other.data() + bytes, 0, {memory, bytes, 1, bytes}));
      const auto* const written = static_cast<const std::byte*>(fake_cuda_shadow(memory));
      CHECK(std::equal(written, written + bytes, other.data() + bytes));
    }
  }
  FakeGpu::check_clean(1);
}

TEST_CASE("rows come as a 2-D copy, and may lie backwards on the host", "[core][devices][cuda]") {
  const FakeGpu gpu;
  fake_cuda_activate(0);
  const auto source = pattern(100 * 40);
  const Address memory = gpu.filled(0, source);
  {
    const auto transfer = opened(0, kSmall);
    std::vector<std::byte> out(100 * 10);
    REQUIRE(transfer->to_host({memory + 5, 7, 100, 40}, out.data() + 99 * 10, -10));
    for (std::size_t row = 0; row < 100; ++row)
      CHECK(std::memcmp(out.data() + (99 - row) * 10, source.data() + 5 + row * 40, 7) == 0);
    CHECK(fake_cuda_calls("cuMemcpy2DAsync_v2") == 3);  // 36 rows fit a buffer
    CHECK(fake_cuda_calls("cuMemcpyDtoHAsync_v2") == 0);

    const auto rows = pattern(100 * 9);
    REQUIRE(transfer->to_device(rows.data(), 9, {memory, 9, 100, 40}));
    const auto* const behind = static_cast<const std::byte*>(fake_cuda_shadow(memory));
    for (std::size_t row = 0; row < 100; ++row) {
      CHECK(std::memcmp(behind + row * 40, rows.data() + row * 9, 9) == 0);
      CHECK(std::memcmp(behind + row * 40 + 9, source.data() + row * 40 + 9, 31) == 0);  // the gaps are as they were
    }
  }
  FakeGpu::check_clean(1);
}

TEST_CASE("rows farther apart than a 2-D copy can be told are copied one by one", "[core][devices][cuda]") {
  const FakeGpu gpu;
  fake_cuda_activate(0);
  constexpr std::size_t kPitch = std::size_t{5} << 30;
  const Address memory = fake_cuda_allocate("device", 0, 2 * kPitch + 8);
  for (std::size_t row = 0; row < 3; ++row) std::memset(fake_cuda_shadow(memory + row * kPitch), static_cast<int>(row + 1), 8);
  const auto transfer = opened(0, kSmall);
  std::vector<std::byte> out(24);
  REQUIRE(transfer->to_host({memory, 8, 3, kPitch}, out.data(), 8));
  CHECK(out[0] == std::byte{1});
  CHECK(out[8] == std::byte{2});
  CHECK(out[23] == std::byte{3});
}

TEST_CASE("many small pieces come together: by a kernel, or put on the stream one after the other", "[core][devices][cuda]") {
  for (const bool kernels : {true, false}) {
    const FakeGpu gpu;
    fake_cuda_activate(0);
    if (!kernels) FakeGpu::without_kernels();
    const auto source = pattern(4096);
    const Address memory = gpu.filled(0, source);
    {
      const auto transfer = opened(0, kSmall);
      if (kernels && !transfer->kernels_problem().empty()) SKIP("this build has no kernels: " << transfer->kernels_problem());
      std::vector<Address> from;
      for (std::size_t i = 0; i < 100; ++i) from.push_back(memory + (i * 37) % 4000);
      for (const std::size_t each : {1u, 3u, 8u, 40u}) {
        std::vector<std::byte> out(100 * each);
        REQUIRE(transfer->gather(from, each, out.data()));
        for (std::size_t i = 0; i < 100; ++i)
          CHECK(std::memcmp(out.data() + i * each, source.data() + (from[i] - memory), each) == 0);
      }
      CHECK((fake_cuda_calls("cuLaunchKernel") > 0) == kernels);
      if (!kernels) CHECK(fake_cuda_calls("cuEventSynchronize") == 1 + 2 + 4 + 17);  // as many pieces as fit a buffer at once
      std::vector<std::byte> large(2 * 1000);
      REQUIRE(transfer->gather(std::vector<Address>{memory + 1, memory + 2000}, 1000, large.data()));
      CHECK(std::memcmp(large.data() + 1000, source.data() + 2000, 1000) == 0);
    }
    FakeGpu::check_clean(1);
  }
}

TEST_CASE("bytes move on a device and to another one", "[core][devices][cuda]") {
  const FakeGpu gpu;
  fake_cuda_activate(0);
  fake_cuda_activate(1);
  const auto source = pattern(1000);
  const std::vector<std::byte> zeros(1000);
  const Address memory = gpu.filled(0, source), beside = gpu.filled(0, zeros), there = gpu.filled(1, zeros);
  {
    const auto transfer = opened(0, kSmall);
    REQUIRE(transfer->on_device(memory, beside, 1000));
    CHECK(std::memcmp(fake_cuda_shadow(beside), source.data(), 1000) == 0);
    REQUIRE(transfer->to_peer(memory, 1, there, 1000));
    CHECK(std::memcmp(fake_cuda_shadow(there), source.data(), 1000) == 0);
    CHECK(transfer->on_device(memory, beside, 2000).error().message == "copying on cuda:0 failed: CUDA_ERROR_INVALID_VALUE");
    CHECK(transfer->to_peer(memory, 1, beside, 10).error().message ==
          "copying from cuda:0 to cuda:1 failed: CUDA_ERROR_INVALID_CONTEXT");
  }
  FakeGpu::check_clean(2);
}

TEST_CASE("what the program put on its default stream is waited for where that was asked, and only there",
          "[core][devices][cuda]") {
  const FakeGpu gpu;
  fake_cuda_activate(0);
  const std::vector<std::byte> zeros(64);
  const Address memory = gpu.filled(0, zeros);
  const CudaDriver driver = gpu.driver();
  const auto transfer = opened(0, kSmall);
  const auto set = [&](unsigned char value) {
    const auto scope = CudaScope::enter(driver, 0);
    REQUIRE(cuMemsetD8Async(memory, value, 64, nullptr) == 0);
  };
  std::byte seen{};
  set(7);
  REQUIRE(transfer->to_host({memory, 1, 1, 1}, &seen, 0));
  CHECK(seen == std::byte{0});
  REQUIRE(transfer->wait_for_default_stream());
  REQUIRE(transfer->to_host({memory, 1, 1, 1}, &seen, 0));
  CHECK(seen == std::byte{7});
}

TEST_CASE("work on the program's other streams is waited for where nobody was asked for a stream", "[core][devices][cuda]") {
  const FakeGpu gpu;
  fake_cuda_activate(0);
  const std::vector<std::byte> zeros(64);
  const Address memory = gpu.filled(0, zeros);
  const CudaDriver driver = gpu.driver();
  const auto transfer = opened(0, kSmall);
  {
    const auto scope = CudaScope::enter(driver, 0);
    void* const per_thread = reinterpret_cast<void*>(std::uintptr_t{2});
    REQUIRE(cuMemsetD8Async(memory, 9, 64, per_thread) == 0);
  }
  std::byte seen{};
  REQUIRE(transfer->wait_for_default_stream());
  REQUIRE(transfer->to_host({memory, 1, 1, 1}, &seen, 0));
  CHECK(seen == std::byte{0});
  REQUIRE(transfer->wait_for_all_streams());
  REQUIRE(transfer->to_host({memory, 1, 1, 1}, &seen, 0));
  CHECK(seen == std::byte{9});
  fake_cuda_fail("cuCtxSynchronize", 700, 0);
  CHECK(transfer->wait_for_all_streams().error().message == "waiting for the program's work failed: CUDA_ERROR_ILLEGAL_ADDRESS");
}

TEST_CASE("no context is made for a transfer", "[core][devices][cuda]") {
  const FakeGpu gpu;
  const auto none = CudaTransfer::open(0);
  REQUIRE_FALSE(none);
  CHECK(none.error().message == "the program has no active primary context on cuda:0, and none is created just to read from it");
  CHECK(CudaTransfer::open(5).error().message == "cuda:5 failed: CUDA_ERROR_INVALID_DEVICE");
  FakeGpu::check_clean(0);
}

// Every call that a transfer makes, failing at every point: words, and nothing left behind.
TEST_CASE("every error of the driver is told and leaves nothing", "[core][devices][cuda]") {
  struct Case {
    const char* entry;
    int error;
    const char* name;
  };
  const Case cases[] = {{"cuStreamCreate", 2, "CUDA_ERROR_OUT_OF_MEMORY"},
                        {"cuMemHostAlloc", 2, "CUDA_ERROR_OUT_OF_MEMORY"},
                        {"cuEventCreate", 2, "CUDA_ERROR_OUT_OF_MEMORY"},
                        {"cuMemcpyDtoHAsync_v2", 1, "CUDA_ERROR_INVALID_VALUE"},
                        {"cuMemcpy2DAsync_v2", 1, "CUDA_ERROR_INVALID_VALUE"},
                        {"cuMemcpyHtoDAsync_v2", 101, "CUDA_ERROR_INVALID_DEVICE"},
                        {"cuEventRecord", 400, "CUDA_ERROR_INVALID_HANDLE"},
                        {"cuEventSynchronize", 700, "CUDA_ERROR_ILLEGAL_ADDRESS"},
                        {"cuCtxPushCurrent_v2", 709, "CUDA_ERROR_CONTEXT_IS_DESTROYED"},
                        {"cuDevicePrimaryCtxRetain", 2, "CUDA_ERROR_OUT_OF_MEMORY"}};
  for (const Case& c : cases) {
    for (const int after : {0, 1, 2, 5}) {
      const FakeGpu gpu;
      fake_cuda_activate(0);
      const auto source = pattern(2000);
      const Address memory = gpu.filled(0, source);
      fake_cuda_fail(c.entry, c.error, after);
      std::vector<std::byte> out(2000);
      std::string text;
      {
        auto transfer = CudaTransfer::open(0, kSmall);
        Result<void> done =
            transfer ? (*transfer)->to_host({memory, 2000, 1, 2000}, out.data(), 0) : std::unexpected(transfer.error());
        if (done) done = (*transfer)->to_host({memory, 10, 100, 20}, out.data(), 10);
        if (done) done = (*transfer)->to_device(source.data(), 0, {memory, 2000, 1, 2000});
        if (!done) text = done.error().message;
        fake_cuda_fail(c.entry, 0, 0);  // only then can anything be given back
      }
      INFO(c.entry << " after " << after << ": " << text);
      CHECK((text.empty() || text.ends_with(c.name)));
      CHECK((after != 0 || !text.empty()));
      FakeGpu::check_clean(1);
    }
  }
}

TEST_CASE("a context that is lost in the middle is told, and the transfer can still be destroyed", "[core][devices][cuda]") {
  for (int after = 0; after < 30; after += 3) {
    const FakeGpu gpu;
    fake_cuda_activate(0);
    const auto source = pattern(2000);
    const Address memory = gpu.filled(0, source);
    std::vector<std::byte> out(2000);
    auto transfer = opened(0, kSmall);
    fake_cuda_fail("*", 709, after);
    const auto done = transfer->to_host({memory, 2000, 1, 2000}, out.data(), 0);
    if (!done) CHECK(done.error().message.ends_with("CUDA_ERROR_CONTEXT_IS_DESTROYED"));
    if (after == 0) CHECK_FALSE(done);
    transfer.reset();
    CHECK(fake_cuda_count("retained") == 1);
  }
}

TEST_CASE("a transfer that is stopped ends with nothing under way", "[core][devices][cuda]") {
  const FakeGpu gpu;
  fake_cuda_activate(0);
  const auto source = pattern(2000);
  const Address memory = gpu.filled(0, source);
  const auto transfer = opened(0, kSmall);
  std::stop_source stop;
  stop.request_stop();
  std::vector<std::byte> out(2000);
  const auto read = transfer->to_host({memory, 2000, 1, 2000}, out.data(), 0, stop.get_token());
  REQUIRE_FALSE(read);
  CHECK(read.error().kind == ErrorKind::cancelled);
  const auto written = transfer->to_device(source.data(), 0, {memory, 2000, 1, 2000}, stop.get_token());
  REQUIRE_FALSE(written);
  CHECK(written.error().kind == ErrorKind::cancelled);
  CHECK(fake_cuda_count("pending") == 0);
  REQUIRE(transfer->to_host({memory, 2000, 1, 2000}, out.data(), 0));  // and it works again
  CHECK(out == source);
}

}  // namespace
}  // namespace dlscope::core
