// What a sample may claim: quantiles are exact only where every value was sorted, and equal values give no error of the mean.
#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <random>
#include <span>
#include <utility>
#include <vector>

#include "core/statistics/statistics.h"
#include "tests/core/statistics/slow_reference.h"

namespace dlscope::core {
namespace {

using test::slow_statistics;

Statistics statistics_of(const char* dtype_name, const Layout& layout, const void* data, bool sample = false) {
  StatisticsOptions options;
  options.histogram = true;
  const TensorValues values{*dtype_from_name(dtype_name), layout, reinterpret_cast<Address>(data), ElementSource::held_memory()};
  return (sample ? sample_statistics(values, options) : exact_statistics(values, options)).value();
}

// Against the sorted values, one by one.
void check_quantiles(const Quantiles& got, const std::vector<long double>& sorted) {
  REQUIRE(got.method == StatisticsMethod::exact);
  const auto n = static_cast<double>(sorted.size());
  for (std::size_t i = 0; i < kQuantiles.size(); ++i) {
    const auto rank = std::clamp<std::size_t>(static_cast<std::size_t>(std::ceil(kQuantiles[i] * n)), 1, sorted.size());
    REQUIRE(got.values[i] == static_cast<double>(sorted[rank - 1]));
  }
  auto distinct = sorted;
  CHECK(got.distinct == static_cast<std::uint32_t>(std::unique(distinct.begin(), distinct.end()) - distinct.begin()));
}

}  // namespace

TEST_CASE("quantiles of a small tensor are exact whatever its dtype", "[core][statistics]") {
  std::mt19937_64 chance(7);
  for (const std::int64_t size : {1, 2, 7, 1000, 65'536}) {
    std::vector<float> floats(static_cast<std::size_t>(size));
    std::vector<std::int32_t> ints(floats.size());
    std::vector<double> doubles(floats.size());
    for (std::size_t i = 0; i < floats.size(); ++i) {
      floats[i] = chance() % 9 == 0 ? std::numeric_limits<float>::quiet_NaN() : static_cast<float>(chance() % 2000) - 1000;
      ints[i] = static_cast<std::int32_t>(chance());
      doubles[i] = std::ldexp(static_cast<double>(chance() % 4096) - 2048, static_cast<int>(chance() % 200) - 100);
    }
    floats[0] = -0.0F;
    const Layout narrow = Layout::c_order({size}, 32), wide = Layout::c_order({size}, 64);
    check_quantiles(statistics_of("float32", narrow, floats.data()).quantiles,
                    slow_statistics(*dtype_from_name("float32"), narrow, floats.data()).finite);
    check_quantiles(statistics_of("int32", narrow, ints.data()).quantiles,
                    slow_statistics(*dtype_from_name("int32"), narrow, ints.data()).finite);
    check_quantiles(statistics_of("float64", wide, doubles.data()).quantiles,
                    slow_statistics(*dtype_from_name("float64"), wide, doubles.data()).finite);
  }
}

TEST_CASE("quantiles are said to be of a sample where they are, and where a double cannot hold them", "[core][statistics]") {
  std::vector<float> many(65'537);
  for (std::size_t i = 0; i < many.size(); ++i) many[i] = static_cast<float>(i);
  CHECK(statistics_of("float32", Layout::c_order({65'537}, 32), many.data()).quantiles.method == StatisticsMethod::sample);
  const std::vector<std::int64_t> exact{1, -(std::int64_t{1} << 53) + 1}, rounded{1, (std::int64_t{1} << 53) + 1};
  CHECK(statistics_of("int64", Layout::c_order({2}, 64), exact.data()).quantiles.method == StatisticsMethod::exact);
  CHECK(statistics_of("int64", Layout::c_order({2}, 64), rounded.data()).quantiles.method == StatisticsMethod::sample);
}

TEST_CASE("a tensor that is answered exactly is not read for a sample before", "[core][statistics]") {
  struct CountingReader : MemoryReader {
    std::size_t read(Address from, std::span<std::byte> out) const override {
      bytes += out.size();
      std::memcpy(out.data(), reinterpret_cast<const void*>(from), out.size());
      return out.size();
    }
    mutable std::uint64_t bytes = 0;
  };
  const std::vector<float> values(std::size_t{2} << 20, 1.5F);
  for (const auto& [shape, stride] : {std::pair<std::int64_t, std::int64_t>{1 << 20, 1}, {2 << 20, 1}, {1 << 20, 2}}) {
    const Layout layout = Layout::from_element_strides({shape}, {stride}, 32);
    for (const bool histogram : {false, true}) {
      const CountingReader reader;
      StatisticsOptions options;
      options.histogram = histogram;
      options.threads = 1;
      const auto got = sample_statistics(
          {*dtype_from_name("float32"), layout, reinterpret_cast<Address>(values.data()), ElementSource::checked(reader)}, options);
      REQUIRE(got);
      CHECK(got->summary.method == StatisticsMethod::exact);
      CHECK(got->summary.mean == 1.5);
      // Once more for a histogram: its range has to be known before its bins can be counted.
      const auto span = static_cast<std::uint64_t>(shape * stride) * sizeof(float);
      CHECK(reader.bytes <= span * (histogram ? 2 : 1));
    }
  }
}

TEST_CASE("every column of a sampled matrix counts as much as another, whatever the length of its rows", "[core][statistics]") {
  // In each, one row has as many values as the sample has in an interval, or a simple fraction or multiple of it.
  for (const auto& [rows, columns] : {std::pair<std::int64_t, std::int64_t>{8192, 1024}, {65'536, 128}, {1 << 20, 8}, {1 << 19, 16},
                                      {2048, 4096}, {8192, 384}, {4099, 512}, {11'000, 768}, {1 << 16, 33}}) {
    std::vector<float> values(static_cast<std::size_t>(rows * columns));
    const Layout layout = Layout::c_order({rows, columns}, 32);
    for (const std::int64_t column : {std::int64_t{0}, std::int64_t{1}, columns / 2, columns - 1}) {
      std::ranges::fill(values, 0.0F);
      for (std::int64_t row = 0; row < rows; ++row) values[static_cast<std::size_t>(row * columns + column)] = static_cast<float>(columns);
      const Statistics sampled = statistics_of("float32", layout, values.data(), true);
      CAPTURE(rows, columns, column, sampled.summary.mean, sampled.summary.mean_error);
      REQUIRE(sampled.summary.method == StatisticsMethod::sample);
      // Its mean is 1. Four half-widths of 95 %: of 36 samples none is expected to be so far off by chance.
      CHECK(std::abs(sampled.summary.mean - 1) <= 4 * (std::isnan(sampled.summary.mean_error) ? 0.0 : sampled.summary.mean_error) + 1e-9);
    }
  }
}

TEST_CASE("a sample of little more than the sample's size claims no smaller error than it has", "[core][statistics]") {
  std::mt19937_64 chance(20261128);
  for (const std::size_t size : {(std::size_t{1} << 20) + 1, std::size_t{1'100'000}, std::size_t{1'500'000}, std::size_t{2'200'000}}) {
    std::vector<float> values(size);
    double mean = 0;
    for (std::size_t i = 0; i < size; ++i) {
      values[i] = i % 128 == 0 ? static_cast<float>(chance() % 1000) : values[i - 1];
      mean += static_cast<double>(values[i]) / static_cast<double>(size);
    }
    const ValueSummary summary =
        statistics_of("float32", Layout::c_order({static_cast<std::int64_t>(size)}, 32), values.data(), true).summary;
    const double stated = summary.method == StatisticsMethod::exact ? 1e-6 * mean : 3 * summary.mean_error;
    CAPTURE(size, mean, summary.mean, summary.mean_error);
    CHECK(std::abs(summary.mean - mean) <= stated);
  }
}

TEST_CASE("quantiles of a sample know every column", "[core][statistics]") {
  constexpr std::int64_t kColumns = 16;
  std::vector<float> values(std::size_t{1} << 23);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i % kColumns);
  const Layout layout = Layout::c_order({static_cast<std::int64_t>(values.size()) / kColumns, kColumns}, 32);
  const Quantiles quantiles = statistics_of("float32", layout, values.data(), true).quantiles;
  for (std::size_t i = 0; i < kQuantiles.size(); ++i) CHECK(std::abs(quantiles.values[i] - kQuantiles[i] * kColumns) <= 1);
}

TEST_CASE("a sample of equal values claims no error of 0 for the mean", "[core][statistics]") {
  std::vector<std::uint8_t> bytes(4 << 20);
  const Layout layout = Layout::c_order({4 << 20}, 8);
  const ValueSummary zeros = statistics_of("uint8", layout, bytes.data(), true).summary;
  CHECK((zeros.method == StatisticsMethod::sample && zeros.mean == 0));
  CHECK(std::isnan(zeros.mean_error));
  std::vector<float> floats(4 << 20, 2.5F);
  const ValueSummary equal = statistics_of("float32", Layout::c_order({4 << 20}, 32), floats.data(), true).summary;
  CHECK((equal.method == StatisticsMethod::sample && equal.mean == 2.5 && std::isnan(equal.mean_error)));
  for (std::size_t i = 0; i < bytes.size(); i += 3) bytes[i] = 9;
  const double error = statistics_of("uint8", layout, bytes.data(), true).summary.mean_error;
  CHECK((error > 0 && error < 0.1));
}

}  // namespace dlscope::core
