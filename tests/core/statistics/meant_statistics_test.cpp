// The statistics of negated values, from those of the values, are those that reading the negated values gives.
#include "core/statistics/negated_statistics.h"

#include <catch2/catch_test_macros.hpp>

#include <cmath>
#include <cstdint>
#include <cstring>
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

TEST_CASE("statistics of conjugated and negated complex numbers are those of the numbers meant", "[core][statistics]") {
  std::mt19937_64 chance(9);
  for (const char* name : {"complex64", "complex128"}) {
    const DType dtype = *dtype_from_name(name);
    const std::size_t part = dtype.bits / 16u;
    for (const std::int64_t count : {1, 7, 9000, 300'000}) {  // the last one is sampled where a sample will do
      for (int round = 0; round < (count < 100 ? 40 : 3); ++round) {
        std::vector<std::byte> stored(static_cast<std::size_t>(count) * dtype.bits / 8);
        const std::uint64_t rare = std::uint64_t{1} << chance() % 12;
        for (std::size_t at = 0; at < stored.size(); at += part) {
          const double few[] = {0.0, -0.0, 1.5, -2.5, 5e-324, std::numeric_limits<double>::infinity(),
                                -std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN()};
          const double value = chance() % rare == 0 ? few[chance() % 8] : 1;
          const auto narrow = static_cast<float>(value);
          std::memcpy(stored.data() + at, part == 4 ? static_cast<const void*>(&narrow) : &value, part);
        }
        for (const SignBits signs : {SignBits{true, false}, SignBits{false, true}, SignBits{true, true}}) {
          std::vector<std::byte> meant = stored;
          apply_sign_bits(dtype, signs, meant);
          const Layout layout = Layout::c_order({count}, dtype.bits);
          const auto values = [&](const std::vector<std::byte>& memory, SignBits of) {
            return TensorValues{dtype, layout, reinterpret_cast<Address>(memory.data()), ElementSource::held_memory(), of};
          };
          Statistics got = exact_statistics(values(stored, signs)).value();
          REQUIRE(negate_statistics(dtype, got));  // changes nothing
          CAPTURE(name, count, signs.conjugate, signs.negate);
          const auto expected = test::slow_statistics(dtype, layout, meant.data());
          REQUIRE(test::difference(got.summary, expected) == "");
          REQUIRE(got.summary.first_special.kind == expected.summary.first_special.kind);
          REQUIRE(got.summary.last_special.kind == expected.summary.last_special.kind);
          const ValueSummary sampled = sample_statistics(values(stored, signs)).value().summary;
          const ValueSummary of_meant = sample_statistics(values(meant, {})).value().summary;
          REQUIRE((sampled.pos_inf == of_meant.pos_inf && sampled.neg_inf == of_meant.neg_inf && sampled.nan == of_meant.nan));
          REQUIRE(sampled.first_special.kind == of_meant.first_special.kind);
        }
      }
    }
  }
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
