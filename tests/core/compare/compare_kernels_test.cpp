#include "core/compare/compare_kernels.h"

#include <bit>
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

namespace dlscope::core {
namespace {

// Random bits, every third value the same on both sides.
struct Sides {
  std::vector<std::byte> a, b;
  Sides(std::size_t count, std::size_t bytes, std::mt19937& chance) : a(count * bytes), b(count * bytes) {
    for (std::size_t i = 0; i < a.size(); ++i) {
      a[i] = static_cast<std::byte>(chance());
      b[i] = i / bytes % 3 == 0 ? a[i] : static_cast<std::byte>(chance());
    }
  }
};

std::vector<double> numbers(std::size_t count, std::mt19937& chance) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  constexpr double kSpecial[] = {0,
                                 -0.0,
                                 kInfinity,
                                 -kInfinity,
                                 std::numeric_limits<double>::quiet_NaN(),
                                 std::numeric_limits<double>::max(),
                                 std::numeric_limits<double>::denorm_min(),
                                 1};
  std::vector<double> out(count);
  for (double& number : out)
    number = chance() % 4 == 0 ? kSpecial[chance() % 8]
                               : std::ldexp(static_cast<double>(chance()) - 2e9, static_cast<int>(chance() % 80) - 40);
  return out;
}

bool same(double x, double y) { return std::bit_cast<std::uint64_t>(x) == std::bit_cast<std::uint64_t>(y); }

}  // namespace

TEST_CASE("every instruction set finds the same differences, to the bit", "[core][compare]") {
  const auto all = all_compare_kernels();
  REQUIRE_FALSE(all.empty());
  const CompareKernels& plain = *all[0];
  std::mt19937 chance(1);
  for (std::size_t k = 0; k < all.size(); ++k) {
    const CompareKernels& other = *all[k];
    INFO("table " << k << " of " << all.size());
    for (const std::size_t count : {1, 2, 3, 7, 8, 31, 64, 65, 200, 2047, 2048}) {
      CAPTURE(count);
      for (std::size_t log = 0; log < 5; ++log) {
        const Sides sides(count, std::size_t{1} << log, chance);
        CHECK(plain.count_different[log](sides.a.data(), sides.b.data(), count) ==
              other.count_different[log](sides.a.data(), sides.b.data(), count));
      }
      constexpr std::uint64_t kInfinity[] = {0, 0x7c00, 0x7f800000, 0x7ff0000000000000};
      for (std::size_t parts = 0; parts < 2; ++parts) {
        for (std::size_t log = 1; log < 4; ++log) {
          const Sides sides(count, (parts + 1) << log, chance);
          CHECK(plain.most_steps[parts][log](sides.a.data(), sides.b.data(), count, kInfinity[log]) ==
                other.most_steps[parts][log](sides.a.data(), sides.b.data(), count, kInfinity[log]));
        }
        const std::size_t padded = (count + kDifferencePadding - 1) / kDifferencePadding * kDifferencePadding;
        const std::vector<double> a = numbers(padded * (parts + 1), chance), b = numbers(padded * (parts + 1), chance);
        const Tolerance tolerance{.absolute = 1, .relative = 0.1};
        const NumberDifferences x = plain.number_differences[parts](a.data(), b.data(), padded, tolerance),
                                y = other.number_differences[parts](a.data(), b.data(), padded, tolerance);
        CHECK(x.numbers == y.numbers);
        CHECK(x.both_nan == y.both_nan);
        CHECK(x.one_nan == y.one_nan);
        CHECK(x.outside == y.outside);
        CHECK(same(x.absolute, y.absolute));
        CHECK(same(x.relative, y.relative));
      }
      for (std::size_t is_unsigned = 0; is_unsigned < 2; ++is_unsigned) {
        const Sides sides(count, 8, chance);
        const IntegerDifferences x = plain.integer_differences[is_unsigned](sides.a.data(), sides.b.data(), count),
                                 y = other.integer_differences[is_unsigned](sides.a.data(), sides.b.data(), count);
        CHECK(x.different == y.different);
        CHECK(x.absolute == y.absolute);
        CHECK(std::abs(x.relative - y.relative) <= kRatioError * x.relative);
      }
    }
  }
}

}  // namespace dlscope::core
