#include "core/transfer/device_copy.h"

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <cstring>
#include <numeric>
#include <random>
#include <vector>

#include "tests/core/devices/fake_gpu.h"

namespace dlscope::core {
namespace {

// A view into a buffer: where element [0,...,0] lies, and everything it touches.
struct View {
  std::vector<std::int64_t> shape, stride_bits;
  std::uint32_t item_bits = 8;
  std::size_t origin = 0, bytes = 0;

  [[nodiscard]] LayoutView layout() const { return {shape, stride_bits, item_bits}; }
};

// The axes in any order, with gaps, backwards; a source may stand still along an axis.
View strided(std::mt19937& random, const std::vector<std::int64_t>& shape, std::uint32_t item_bits, bool may_repeat) {
  View view{shape, std::vector<std::int64_t>(shape.size()), item_bits};
  std::vector<std::size_t> axes(shape.size());
  std::iota(axes.begin(), axes.end(), std::size_t{0});
  std::ranges::shuffle(axes, random);
  std::int64_t stride = item_bits / 8, lowest = 0, highest = 0;
  for (const std::size_t d : axes) {
    if (random() % 3 == 0) stride += static_cast<std::int64_t>(item_bits / 8 * (random() % 40));
    const bool repeats = may_repeat && random() % 6 == 0;
    const std::int64_t signed_stride = repeats ? 0 : random() % 3 == 0 ? -stride : stride;
    view.stride_bits[d] = signed_stride * 8;
    const std::int64_t reach = (shape[d] - 1) * signed_stride;
    lowest += std::min<std::int64_t>(0, reach);
    highest += std::max<std::int64_t>(0, reach);
    if (!repeats) stride *= std::max<std::int64_t>(1, shape[d]);
  }
  view.origin = static_cast<std::size_t>(-lowest);
  view.bytes = static_cast<std::size_t>(highest - lowest) + item_bits / 8;
  return view;
}

std::vector<std::byte> random_bytes(std::mt19937& random, std::size_t bytes) {
  std::vector<std::byte> out(bytes);
  for (std::byte& byte : out) byte = static_cast<std::byte>(random());
  return out;
}

std::int64_t offset_of(const View& view, std::vector<std::int64_t> index) {
  std::int64_t bits = 0;
  for (std::size_t d = 0; d < index.size(); ++d) bits += index[d] * view.stride_bits[d];
  return static_cast<std::int64_t>(view.origin) + bits / 8;
}

// Element by element: the judge.
void copy_slowly(const std::byte* from, const View& from_view, std::byte* to, const View& to_view) {
  const std::int64_t elements =
      std::accumulate(from_view.shape.begin(), from_view.shape.end(), std::int64_t{1}, std::multiplies<>());
  std::vector<std::int64_t> index(from_view.shape.size());
  for (std::int64_t flat = 0; flat < elements; ++flat) {
    std::int64_t rest = flat;
    for (std::size_t d = index.size(); d-- > 0;) {
      index[d] = rest % from_view.shape[d];
      rest /= from_view.shape[d];
    }
    std::memcpy(to + offset_of(to_view, index), from + offset_of(from_view, index), from_view.item_bits / 8);
  }
}

std::unique_ptr<CudaTransfer> transfer_with(std::size_t buffer_bytes) {
  auto made = CudaTransfer::open(0, {.buffer_bytes = buffer_bytes, .buffers = 2});
  REQUIRE(made);
  return std::move(*made);
}

void check_random_copies(const FakeGpu& gpu, CudaTransfer& transfer) {
  std::mt19937 random(20261122);
  for (int round = 0; round < 300; ++round) {
    std::vector<std::int64_t> shape(random() % 5);
    for (std::int64_t& extent : shape) extent = 1 + static_cast<std::int64_t>(random() % 7);
    const std::uint32_t item_bits = 8u << (random() % 5);
    const View source = strided(random, shape, item_bits, true), target = strided(random, shape, item_bits, false);
    const auto bytes = random_bytes(random, source.bytes);
    const auto before = random_bytes(random, target.bytes);
    auto expected = before;
    copy_slowly(bytes.data(), source, expected.data(), target);

    const Address on_device = gpu.filled(0, bytes);
    auto to_host = before;
    REQUIRE(
        copy_from_device(transfer, on_device + source.origin, source.layout(), to_host.data() + target.origin, target.layout()));
    REQUIRE(to_host == expected);
    const Address target_device = gpu.filled(0, before);
    REQUIRE(
        copy_to_device(transfer, bytes.data() + source.origin, source.layout(), target_device + target.origin, target.layout()));
    REQUIRE(std::memcmp(fake_cuda_shadow(target_device), expected.data(), expected.size()) == 0);
    const Address other_device = gpu.filled(0, before);
    REQUIRE(copy_on_device(transfer, on_device + source.origin, source.layout(), other_device + target.origin, target.layout()));
    REQUIRE(std::memcmp(fake_cuda_shadow(other_device), expected.data(), expected.size()) == 0);
  }
}

TEST_CASE("strided copies from, to and on a device agree with a copy element by element", "[core][transfer][cuda]") {
  for (const bool kernels : {true, false}) {
    const FakeGpu gpu;
    fake_cuda_activate(0);
    if (!kernels) FakeGpu::without_kernels();
    {
      const auto transfer = transfer_with(700);
      if (kernels && !transfer->kernels_problem().empty()) SKIP("this build has no kernels: " << transfer->kernels_problem());
      check_random_copies(gpu, *transfer);
      CHECK((fake_cuda_calls("cuLaunchKernel") > 0) == kernels);
    }
    FakeGpu::check_clean(1);
  }
}

TEST_CASE("without room for a scratch buffer on the device a copy goes as without kernels", "[core][transfer][cuda]") {
  const FakeGpu gpu;
  fake_cuda_activate(0);
  fake_cuda_fail("cuMemAlloc_v2", 2, 0);
  check_random_copies(gpu, *transfer_with(700));
  FakeGpu::check_clean(1);
}

View dense(std::vector<std::int64_t> shape, std::uint32_t item_bits) {
  View view{std::move(shape), {}, item_bits};
  view.stride_bits.resize(view.shape.size());
  REQUIRE(c_order_strides(view.shape, item_bits, view.stride_bits));
  return view;
}

TEST_CASE("without kernels long runs cross as rows, short ones with the bytes around them", "[core][transfer][cuda]") {
  const FakeGpu gpu;
  fake_cuda_activate(0);
  FakeGpu::without_kernels();
  const auto transfer = transfer_with(1 << 20);
  std::mt19937 random(1);
  const auto bytes = random_bytes(random, 64 * 2048);
  const Address memory = gpu.filled(0, bytes);
  const auto copy = [&](std::vector<std::int64_t> shape, std::vector<std::int64_t> strides) {
    for (std::int64_t& stride : strides) stride *= 8;
    const View source{shape, strides, 8};
    const View target = dense(shape, 8);
    const auto count =
        static_cast<std::size_t>(std::accumulate(shape.begin(), shape.end(), std::int64_t{1}, std::multiplies<>()));
    std::vector<std::byte> out(count), expected(count);
    copy_slowly(bytes.data(), source, expected.data(), target);
    REQUIRE(copy_from_device(*transfer, memory, source.layout(), out.data(), target.layout()));
    CHECK(out == expected);
  };
  const auto calls = [] { return std::pair(fake_cuda_calls("cuMemcpyDtoHAsync_v2"), fake_cuda_calls("cuMemcpy2DAsync_v2")); };
  copy({64, 2048}, {2048, 1});
  CHECK(calls() == std::pair(1, 0));  // dense: one piece
  copy({2048, 64}, {1, 2048});
  CHECK(calls() == std::pair(2, 0));  // transposed: one piece, turned on the host
  copy({64, 1024}, {2048, 1});
  CHECK(calls() == std::pair(2, 1));  // rows of 1024 bytes
  copy({64, 300}, {2048, 1});
  CHECK(calls() == std::pair(3, 1));  // rows of 300 bytes: with what lies between
  copy({64, 2}, {2048, 1});
  CHECK(calls() == std::pair(3, 2));  // 128 bytes of 129 KiB: rows all the same
}

TEST_CASE("packed elements that share a byte are refused in words", "[core][transfer][cuda]") {
  const FakeGpu gpu;
  fake_cuda_activate(0);
  const auto transfer = transfer_with(4096);
  const std::vector<std::int64_t> shape{3}, strides{4};
  std::byte out[2];
  const auto done =
      copy_from_device(*transfer, fake_cuda_allocate("device", 0, 64), {shape, strides, 4}, out, {shape, strides, 4});
  REQUIRE_FALSE(done);
  CHECK(done.error().kind == ErrorKind::unsupported);
}

TEST_CASE("a strided copy that is stopped or fails says so and leaves nothing under way", "[core][transfer][cuda]") {
  const FakeGpu gpu;
  fake_cuda_activate(0);
  const auto transfer = transfer_with(4096);
  const View view = dense({100, 100}, 32);
  const Address memory = fake_cuda_allocate("device", 0, 40'000);
  std::vector<std::byte> out(40'000);
  const DeviceCopyOptions stop{.progress = [](auto, auto) { return false; }};
  CHECK(copy_from_device(*transfer, memory, view.layout(), out.data(), view.layout(), stop).error().kind == ErrorKind::cancelled);
  CHECK(copy_to_device(*transfer, out.data(), view.layout(), memory, view.layout(), stop).error().kind == ErrorKind::cancelled);
  CHECK_FALSE(copy_from_device(*transfer, memory + 1, view.layout(), out.data(), view.layout()));  // a byte too far
  fake_cuda_fail("cuEventSynchronize", 700, 2);
  CHECK(copy_from_device(*transfer, memory, view.layout(), out.data(), view.layout()).error().message ==
        "copying between cuda:0 and the host failed: CUDA_ERROR_ILLEGAL_ADDRESS");
  CHECK(fake_cuda_count("pending") == 0);
}

}  // namespace
}  // namespace dlscope::core
