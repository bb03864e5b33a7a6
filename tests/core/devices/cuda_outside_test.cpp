// Code of the program's that runs while dlscope copies (a signal handler): it finds its own context and capture mode, not ours.
#include <catch2/catch_test_macros.hpp>
#include <functional>
#include <string>
#include <vector>

#include "core/devices/cuda_transfer.h"
#include "fake_gpu.h"

extern "C" {
int cuThreadExchangeStreamCaptureMode(int* mode);
}

namespace dlscope::core {
namespace {

constexpr CudaRing kSmall{.buffer_bytes = 256, .buffers = 2};

// The calling thread's: put back at once.
int capture_mode() {
  int mode = 0, unused = 0;
  cuThreadExchangeStreamCaptureMode(&mode);
  unused = mode;
  cuThreadExchangeStreamCaptureMode(&unused);
  return mode;
}

// What the program's code sees.
struct Seen {
  int calls = 0, contexts = 0, modes = 0;
  void look() {
    ++calls;
    contexts += fake_cuda_count("current");
    modes += capture_mode();
  }
};

}  // namespace

TEST_CASE("the program's code that runs between the pieces of a copy has its own context and capture mode",
          "[core][devices][cuda]") {
  const FakeGpu gpu;
  fake_cuda_activate(0);
  const std::vector<std::byte> source(2000, std::byte{7});
  const Address memory = gpu.filled(0, source);
  {
    auto transfer = CudaTransfer::open(0, kSmall);
    REQUIRE(transfer);
    std::vector<std::byte> out(source.size());
    Seen seen;
    const auto moved = [&](std::size_t) {
      seen.look();
      return true;
    };
    REQUIRE((*transfer)->to_host({memory, out.size(), 1, out.size()}, out.data(), 0, {}, moved));
    CHECK(out == source);
    REQUIRE((*transfer)->to_device(source.data(), 0, {memory, source.size(), 1, source.size()}, {}, moved));
    CHECK(seen.calls == 16);
    CHECK(seen.contexts == 0);
    CHECK(seen.modes == 0);
    CHECK(fake_cuda_count("current") == 0);
    CHECK(capture_mode() == 0);
  }
  FakeGpu::check_clean(1);
}

TEST_CASE("the program's code that runs while its own work is waited for has its own context", "[core][devices][cuda]") {
  const FakeGpu gpu;
  fake_cuda_activate(0);
  {
    auto transfer = CudaTransfer::open(0, kSmall);
    REQUIRE(transfer);
    Seen seen;
    // Nothing that this double does is ever unfinished by itself: the query is made to say so.
    fake_cuda_fail("cuStreamQuery", 600, 0);
    const auto waited = (*transfer)->finish([&] {
      seen.look();
      if (seen.calls == 2) fake_cuda_fail("cuStreamQuery", 0, 0);
      return true;
    });
    CHECK(waited);
    CHECK(seen.calls == 2);
    CHECK(seen.contexts == 0);
    CHECK(seen.modes == 0);
  }
  FakeGpu::check_clean(1);
}

TEST_CASE("a program that destroys the context meanwhile gets an error, and nothing is left current", "[core][devices][cuda]") {
  const FakeGpu gpu;
  fake_cuda_activate(0);
  const std::vector<std::byte> source(2000, std::byte{7});
  const Address memory = gpu.filled(0, source);
  auto transfer = CudaTransfer::open(0, kSmall);
  REQUIRE(transfer);
  std::vector<std::byte> out(source.size());
  const auto read = (*transfer)->to_host({memory, out.size(), 1, out.size()}, out.data(), 0, {}, [](std::size_t) {
    fake_cuda_fail("cuCtxPushCurrent_v2", 709, 0);  // CUDA_ERROR_CONTEXT_IS_DESTROYED
    return true;
  });
  REQUIRE_FALSE(read);
  CHECK(read.error().message.find("entering the context again") != std::string::npos);
  CHECK(fake_cuda_count("current") == 0);
  CHECK(capture_mode() == 0);
  fake_cuda_fail("cuCtxPushCurrent_v2", 0, 0);
}

}  // namespace dlscope::core
