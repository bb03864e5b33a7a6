#include "core/statistics/moments.h"

#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <random>

namespace dlscope::core {

TEST_CASE("a sum of two doubles keeps what one double loses", "[core][statistics]") {
  DoubleDouble sum;
  sum.add(1e16);
  for (int i = 0; i < 1000; ++i) sum.add(0.001953125);  // 2^-9
  sum.add(-1e16);
  CHECK(sum.value() == 1.953125);
}

TEST_CASE("moments combine to those of all values, whatever their size", "[core][statistics]") {
  Moments all;
  for (int i = 0; i < 100; ++i) all.combine(moments_of_equal(i, 10));
  const Spread spread = spread_of(all);
  CHECK(all.count == 1000);
  CHECK(spread.mean == 49.5);
  CHECK(std::abs(spread.std - std::sqrt(833.25)) <= spread.std_error);
  CHECK(spread.std_error < 1e-10);
  Moments none;
  all.combine(none);
  CHECK(all.count == 1000);
  none.combine(all);
  CHECK(spread_of(none).mean == 49.5);
  CHECK(std::isnan(spread_of(Moments{}).mean));
}

TEST_CASE("repeating moments changes the count and nothing else", "[core][statistics]") {
  Moments some;
  for (const double x : {0.1, 7.25, -3.0}) some.combine(moments_of_equal(x, 1));
  const Spread once = spread_of(some);
  some.repeat(1'000'000'007);
  const Spread often = spread_of(some);
  CHECK(some.count == 3'000'000'021);
  CHECK(std::abs(once.mean - often.mean) <= once.mean_error);
  CHECK(std::abs(once.std - often.std) <= once.std_error);
}

}  // namespace dlscope::core
