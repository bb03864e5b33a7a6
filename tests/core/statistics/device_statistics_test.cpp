// Statistics of values on a device, by the kernel as the fake driver runs it, against those of the same values on the host.
#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

#include "core/devices/cuda_reader.h"
#include "core/statistics/statistics.h"
#include "tests/core/devices/fake_gpu.h"

namespace dlscope::core {
namespace {

constexpr DType kTypes[] = {{2, 16, 1}, {4, 16, 1}, {2, 32, 1}, {2, 64, 1}, {0, 8, 1},  {0, 16, 1}, {0, 32, 1},
                            {0, 64, 1}, {1, 8, 1},  {1, 16, 1}, {1, 32, 1}, {1, 64, 1}, {6, 8, 1}};

enum class Content { any_bits, near_numbers, few_specials };

std::vector<std::byte> bytes_of(DType dtype, std::size_t count, Content content, std::mt19937& random) {
  std::vector<std::byte> out(count * dtype.bits / 8);
  if (content == Content::any_bits) {
    for (std::byte& byte : out) byte = static_cast<std::byte>(random());
    return out;
  }
  for (std::size_t i = 0; i < count; ++i) {
    const double value = 1000 + static_cast<double>(static_cast<std::int32_t>(random() % 200)) / 8;
    std::uint64_t bits = 0;
    if (dtype.code == 2 && dtype.bits == 64) std::memcpy(&bits, &value, 8);
    const auto single = static_cast<float>(value);
    std::uint32_t single_bits = 0;
    std::memcpy(&single_bits, &single, 4);
    if (dtype.code == 2 && dtype.bits == 32) bits = single_bits;
    if (dtype.code == 4) bits = single_bits >> 16;
    if (dtype.code == 2 && dtype.bits == 16) bits = 0x6400 + random() % 100;
    if (dtype.code == 0 || dtype.code == 1) bits = 20 + random() % 80;
    if (dtype.code == 6) bits = random() % 3;
    if (content == Content::few_specials && (dtype.code == 2 || dtype.code == 4) && random() % 50'000 == 0)
      bits = ~std::uint64_t{0};
    std::memcpy(out.data() + i * (dtype.bits / 8u), &bits, dtype.bits / 8u);
  }
  return out;
}

void check_same(const Statistics& here, const Statistics& there) {
  const ValueSummary &a = here.summary, &b = there.summary;
  CHECK(a.count == b.count);
  CHECK(a.seen == b.seen);
  CHECK(a.nan == b.nan);
  CHECK(a.pos_inf == b.pos_inf);
  CHECK(a.neg_inf == b.neg_inf);
  CHECK(a.zero == b.zero);
  CHECK(a.negative == b.negative);
  CHECK(a.subnormal == b.subnormal);
  CHECK(a.first_special.index == b.first_special.index);
  CHECK(a.last_special.index == b.last_special.index);
  CHECK(a.min.as_double() == b.min.as_double());
  CHECK(a.max.as_double() == b.max.as_double());
  if (!std::isnan(a.mean)) CHECK(std::abs(a.mean - b.mean) <= a.mean_error + b.mean_error);
  if (!std::isnan(a.std)) CHECK(std::abs(a.std - b.std) <= a.std_error + b.std_error);
  REQUIRE(here.histogram.valid == there.histogram.valid);
  CHECK(here.histogram.below == there.histogram.below);
  CHECK(here.histogram.above == there.histogram.above);
  std::uint64_t moved = 0, all = 0;  // what lies within a rounding of an edge may be counted in the neighbour
  for (std::size_t bin = 0; bin < here.histogram.bins.size(); ++bin) {
    const std::uint64_t x = here.histogram.bins[bin], y = there.histogram.bins[bin];
    moved += x > y ? x - y : y - x;
    all += x;
  }
  CHECK(moved <= all / 1000);
}

TEST_CASE("statistics on a device are those of the same values on the host", "[core][statistics][cuda]") {
  std::mt19937 random(7);
  constexpr std::int64_t kRows = 300, kColumns = 1400;
  for (const DType dtype : kTypes) {
    for (const Content content : {Content::any_bits, Content::near_numbers, Content::few_specials}) {
      const FakeGpu gpu;
      fake_cuda_activate(0);
      const auto bytes = bytes_of(dtype, kRows * kColumns * 8 / dtype.bits * 8, content, random);
      const Address memory = gpu.filled(0, bytes);
      auto opened = CudaReader::open(0);
      REQUIRE(opened);
      const std::unique_ptr<CudaReader> reader = std::move(*opened);
      if (!reader->can_scan(memory)) SKIP("this build has no kernels");
      const auto rows = static_cast<std::int64_t>(bytes.size() / (dtype.bits / 8u)) / kColumns;
      const auto item = static_cast<std::int64_t>(dtype.bits);
      // C order, transposed, every second column.
      const std::vector<std::vector<std::int64_t>> shapes{{rows, kColumns}, {kColumns, rows}, {rows, kColumns / 2}};
      const std::vector<std::vector<std::int64_t>> strides{
          {kColumns * item, item}, {item, kColumns * item}, {kColumns * item, 2 * item}};
      for (std::size_t layout = 0; layout < shapes.size(); ++layout) {
        INFO(dtype_name(dtype) << ", content " << static_cast<int>(content) << ", layout " << layout);
        const LayoutView view{shapes[layout], strides[layout], dtype.bits};
        for (const bool histogram : {false, true}) {
          StatisticsOptions options;
          options.histogram = histogram;
          const auto here =
              exact_statistics({dtype, view, reinterpret_cast<Address>(bytes.data()), ElementSource::held_memory()}, options);
          const int launches = fake_cuda_calls("cuLaunchKernel");
          const auto there = exact_statistics({dtype, view, memory, ElementSource::checked(*reader)}, options);
          REQUIRE(here);
          REQUIRE(there);
          check_same(*here, *there);
          const bool bins_too_coarse = histogram && dtype.code < 2 && dtype.bits == 64;
          if (!bins_too_coarse && layout < 2) CHECK(fake_cuda_calls("cuLaunchKernel") > launches);
        }
      }
    }
  }
}

TEST_CASE("what a device cannot summarise is read, and what cannot be read is told", "[core][statistics][cuda]") {
  const FakeGpu gpu;
  fake_cuda_activate(0);
  std::mt19937 random(8);
  const auto bytes = bytes_of({2, 32, 1}, 1 << 19, Content::near_numbers, random);
  const std::vector<std::int64_t> shape{1 << 19}, strides{32};
  const auto statistics = [&](Address address) -> Result<Statistics> {
    const auto reader = CudaReader::open(0);
    REQUIRE(reader);
    return exact_statistics({{2, 32, 1}, {shape, strides, 32}, address, ElementSource::checked(**reader)}, {});
  };
  const Address memory = gpu.filled(0, bytes);
  const auto by_kernel = statistics(memory);
  fake_cuda_fail("cuModuleLoadData", 200, 0);
  const auto read = statistics(memory);
  REQUIRE(by_kernel);
  REQUIRE(read);
  check_same(*by_kernel, *read);
  fake_cuda_fail("cuModuleLoadData", 0, 0);
  fake_cuda_fail("cuMemAlloc_v2", 2, 0);  // a device that is full
  const auto full = statistics(memory);
  REQUIRE(full);
  check_same(*by_kernel, *full);
  fake_cuda_fail("cuMemAlloc_v2", 0, 0);
  const auto beyond = statistics(memory + 4);  // one value too far
  REQUIRE_FALSE(beyond);
  CHECK(beyond.error().message.find("is no memory that the driver knows") != std::string::npos);
  CHECK(fake_cuda_count("pending") == 0);
  fake_cuda_fail("cuLaunchKernel", 719, 0);
  const auto failed = statistics(memory);
  REQUIRE_FALSE(failed);
  CHECK(failed.error().message == "starting dlscope_scan_f32 failed: error 719");
}

}  // namespace
}  // namespace dlscope::core
