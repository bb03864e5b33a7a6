#include "core/base/checked_math.h"

#include <catch2/catch_test_macros.hpp>
#include <limits>

namespace dlscope::core {
namespace {

constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t kMin = std::numeric_limits<std::int64_t>::min();

TEST_CASE("a checked product is given exactly when it fits", "[base]") {
  CHECK_FALSE(checked_mul(kMin, std::int64_t{-1}));
  CHECK(checked_mul(std::int64_t{1} << 31, std::int64_t{1} << 31) == std::int64_t{1} << 62);
  CHECK_FALSE(checked_mul(std::int64_t{1} << 32, std::int64_t{1} << 31));
}

TEST_CASE("floor and ceiling division agree with their definition around zero", "[base]") {
  for (std::int64_t value = -40; value <= 40; ++value) {
    for (std::int64_t divisor = 1; divisor <= 9; ++divisor) {
      const std::int64_t low = floor_div(value, divisor);
      const std::int64_t high = ceil_div(value, divisor);
      CAPTURE(value, divisor);
      CHECK((low * divisor <= value && value < (low + 1) * divisor));
      CHECK((high * divisor >= value && value > (high - 1) * divisor));
    }
  }
  CHECK(floor_div(kMin, 8) == kMin / 8);
  CHECK(ceil_div(kMax, 8) == kMax / 8 + 1);
}

}  // namespace
}  // namespace dlscope::core
