// Statistics of views with sign bits are those of memory that holds what these mean.
#include "core/statistics/statistics.h"

#include <catch2/catch_test_macros.hpp>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <memory>
#include <random>
#include <string_view>
#include <vector>

#include "core/memory/memory_reader.h"
#include "core/statistics/statistics_task.h"
#include "tests/core/statistics/slow_reference.h"

namespace dlscope::core {
namespace {

// Every number of both, to the last bit.
void check_same(const Statistics& got, const Statistics& expected) {
  const auto same = [](double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); };
  const ValueSummary &a = got.summary, &b = expected.summary;
  CHECK(a.method == b.method);
  CHECK((a.count == b.count && a.seen == b.seen && a.nan == b.nan && a.pos_inf == b.pos_inf && a.neg_inf == b.neg_inf));
  CHECK((a.zero == b.zero && a.negative == b.negative && a.subnormal == b.subnormal));
  CHECK((a.min.kind == b.min.kind && same(a.min.as_double(), b.min.as_double()) && same(a.max.as_double(), b.max.as_double())));
  CHECK((same(a.mean, b.mean) && same(a.mean_error, b.mean_error) && same(a.std, b.std) && same(a.std_error, b.std_error)));
  CHECK((a.first_special.index == b.first_special.index && a.first_special.kind == b.first_special.kind));
  CHECK((a.last_special.index == b.last_special.index && a.last_special.kind == b.last_special.kind));
  CHECK((got.histogram.valid == expected.histogram.valid && got.histogram.bins == expected.histogram.bins));
  CHECK((got.histogram.below == expected.histogram.below && got.histogram.above == expected.histogram.above));
  CHECK((same(got.histogram.low, expected.histogram.low) && same(got.histogram.high, expected.histogram.high)));
  CHECK((got.quantiles.method == expected.quantiles.method && got.quantiles.distinct == expected.quantiles.distinct));
  for (std::size_t i = 0; i < kQuantiles.size(); ++i) CHECK(same(got.quantiles.values[i], expected.quantiles.values[i]));
}

Statistics by_task(const TensorValues& values, std::shared_ptr<const MemoryReader> reader) {
  StatisticsTask task(values, nullptr, std::move(reader));
  while (task.step().value() == Task::State::more) {
  }
  return *task.exact();
}

}  // namespace

TEST_CASE("statistics of negated views are those of the negatives, histogram and quantiles too", "[core][statistics]") {
  std::mt19937_64 chance(3);
  const std::shared_ptr<const MemoryReader> reader = process_reader(0).value();
  for (const char* name : {"float16", "bfloat16", "float32", "float64", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint64"}) {
    const DType dtype = *dtype_from_name(name);
    const std::size_t each = dtype.bits / 8u;
    for (const std::int64_t count : {0, 1, 700, 90'000, 2'500'000}) {  // sorted as a whole; of a sample; sampled where that will do
      if (count > 90'000 && std::string_view(name) != "float32" && std::string_view(name) != "int16") continue;
      std::vector<std::byte> stored(static_cast<std::size_t>(2 * count) * each);
      for (std::size_t at = 0; at < stored.size(); at += each) {
        std::uint64_t bits = chance();
        if (each >= 4 && dtype.code == static_cast<std::uint8_t>(DTypeCode::float_) && chance() % 500 != 0) {
          const double value = static_cast<double>(bits % 1000) * 0.37 - 100;  // else any bits: NaN, infinities, huge numbers
          const auto narrow = static_cast<float>(value);
          std::memcpy(&bits, each == 4 ? static_cast<const void*>(&narrow) : &value, each);
        }
        if (each == 8 && dtype.code != static_cast<std::uint8_t>(DTypeCode::float_)) bits = chance() % 3 == 0 ? bits : bits % 1000;
        std::memcpy(stored.data() + at, &bits, each);
      }
      std::vector<std::byte> meant = stored;
      apply_sign_bits(dtype, {.negate = true}, meant);
      const Layout layout = Layout::from_element_strides({count}, {-2}, dtype.bits);
      const auto values = [&](const std::vector<std::byte>& memory, SignBits signs, ElementSource source) {
        const std::size_t last = count == 0 ? 0 : static_cast<std::size_t>(2 * count - 2) * each;
        return TensorValues{dtype, layout, reinterpret_cast<Address>(memory.data() + last), source, signs};
      };
      CAPTURE(name, count);
      for (const bool histogram : {true, false}) {
        StatisticsOptions options;
        options.histogram = histogram;
        for (const ElementSource source : {ElementSource::held_memory(), ElementSource::checked(*reader)}) {
          check_same(exact_statistics(values(stored, {.negate = true}, source), options).value(),
                     exact_statistics(values(meant, {}, source), options).value());
          check_same(sample_statistics(values(stored, {.negate = true}, source), options).value(),
                     sample_statistics(values(meant, {}, source), options).value());
        }
      }
      check_same(by_task(values(stored, {.negate = true}, {}), reader), by_task(values(meant, {}, {}), reader));
    }
  }
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
          const Statistics got = exact_statistics(values(stored, signs)).value();
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

}  // namespace dlscope::core
