// The statistics of negated values, from those of the values, are those that reading the negated values gives.
#include "core/statistics/negated_statistics.h"

#include <catch2/catch_test_macros.hpp>

#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

#include "tests/core/statistics/slow_reference.h"

namespace dlscope::core {
namespace {

Statistics statistics_of(const char* dtype, const void* data, std::int64_t count) {
  const DType type = *dtype_from_name(dtype);
  const Layout layout = Layout::c_order({count}, type.bits);
  StatisticsOptions options;
  options.histogram = true;
  return exact_statistics({type, layout, reinterpret_cast<Address>(data), ElementSource::held_memory()}, options).value();
}

template <class T>
void check_negated(const char* dtype, const std::vector<T>& values) {
  std::vector<T> negatives;
  for (const T value : values) negatives.push_back(static_cast<T>(-value));
  const auto count = static_cast<std::int64_t>(values.size());
  const DType type = *dtype_from_name(dtype);
  Statistics got = statistics_of(dtype, values.data(), count);
  REQUIRE(negate_statistics(type, got));
  const auto expected = test::slow_statistics(type, Layout::c_order({count}, type.bits), negatives.data());
  CHECK(test::difference(got.summary, expected) == "");
  if (got.histogram.valid) CHECK(test::difference(got.histogram, expected) == "");
  CHECK(got.quantiles.method == StatisticsMethod::none);
}

}  // namespace

TEST_CASE("negated statistics are those of the negated values", "[core][statistics]") {
  std::mt19937_64 chance(3);
  std::vector<float> floats;
  std::vector<std::int16_t> shorts;
  for (int i = 0; i < 5000; ++i) {
    floats.push_back(static_cast<float>(chance() % 1000) * 0.37F - 100);
    shorts.push_back(static_cast<std::int16_t>(static_cast<int>(chance() % 65'535) - 32'767));
  }
  floats[17] = std::numeric_limits<float>::infinity();
  floats[4000] = -std::numeric_limits<float>::infinity();
  floats[4001] = floats[90] = std::numeric_limits<float>::quiet_NaN();
  floats[5] = 0;
  floats[6] = 1e-41F;
  check_negated("float32", floats);
  check_negated("float32", std::vector<float>{std::numeric_limits<float>::quiet_NaN()});
  check_negated("int16", shorts);
}

TEST_CASE("integers whose negatives wrap around have no negated statistics", "[core][statistics]") {
  const std::vector<std::int8_t> lowest{5, -128};
  Statistics found = statistics_of("int8", lowest.data(), 2);
  const auto refused = negate_statistics(*dtype_from_name("int8"), found);
  REQUIRE_FALSE(refused);
  CHECK(refused.error().message == "the library means the negatives of what is stored, and these wrap around in int8");
  CHECK(found.summary.min.as_signed == -128);
  const std::vector<std::int64_t> least{5, std::numeric_limits<std::int64_t>::min()}, others{5, -7};
  found = statistics_of("int64", least.data(), 2);
  CHECK_FALSE(negate_statistics(*dtype_from_name("int64"), found));
  found = statistics_of("int64", others.data(), 2);
  REQUIRE(negate_statistics(*dtype_from_name("int64"), found));
  CHECK((found.summary.min.as_signed == -5 && found.summary.max.as_signed == 7));

  const std::vector<std::uint8_t> unsigned_ones{0, 1}, zeros{0, 0};
  found = statistics_of("uint8", unsigned_ones.data(), 2);
  CHECK_FALSE(negate_statistics(*dtype_from_name("uint8"), found));
  found = statistics_of("uint8", zeros.data(), 2);
  CHECK(negate_statistics(*dtype_from_name("uint8"), found));
}

}  // namespace dlscope::core
