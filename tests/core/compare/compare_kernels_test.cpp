#include "core/compare/compare_kernels.h"

#include <algorithm>
#include <bit>
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <complex>
#include <limits>
#include <random>
#include <span>
#include <vector>

#include "core/compare/number_distance.h"
#include "core/compare/pair_differences.h"

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
        const NumberDifferences x = plain.number_differences[parts](a.data(), b.data(), padded, {.tolerance = tolerance}),
                                y = other.number_differences[parts](a.data(), b.data(), padded, {.tolerance = tolerance});
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

// Pairs in blocks, so that most have no larger error than one before: small steps, the same ratio to a bit or two, everything tiny, zeros.
std::vector<double> near(const std::vector<double>& of, unsigned kind, std::mt19937& chance) {
  std::vector<double> out = of;
  for (double& number : out) {
    if (kind == 0) number = std::nextafter(number, chance() % 2 == 0 ? 1e308 : -1e308);
    if (kind == 1) number *= 1 + std::ldexp(1.0, -20 - static_cast<int>(chance() % 3)) + static_cast<double>(chance() % 4) * 0x1p-52;
    if (kind == 2 && chance() % 3 != 0) number = 0;
    if (kind == 3) number = number * 3 + static_cast<double>(chance() % 7) * std::numeric_limits<double>::denorm_min();
  }
  return out;
}

TEST_CASE("the errors of a block of pairs are those of its pairs, to the bit", "[core][compare]") {
  std::mt19937 chance(4);
  constexpr Tolerance kTolerances[] = {{}, {.absolute = 1e-3, .relative = 1e-6}, {.absolute = 0, .relative = 0x1p-21}};
  constexpr int kExponents[] = {0, -40, 300, 1015, -1040, -1070, -960, -900};
  for (int round = 0; round < 1500; ++round) {
    const std::size_t parts = 1 + chance() % 2, padded = kDifferencePadding * (1 + chance() % 40);
    std::vector<double> y(padded * parts);
    if (round % 5 == 0) y = numbers(y.size(), chance);
    const int exponent = kExponents[chance() % std::size(kExponents)], spread = 1 + static_cast<int>(chance() % 9);
    for (double& number : std::span(y).first(round % 5 == 0 ? 0 : y.size())) {
      number = std::ldexp(1 + static_cast<double>(chance()) * 0x1p-32, exponent + static_cast<int>(chance() % spread));
      if (chance() % 2 == 0) number = -number;
    }
    const std::vector<double> x = round % 5 == 1 ? numbers(y.size(), chance) : near(y, chance() % 4, chance);
    for (const Tolerance& tolerance : kTolerances) {
      NumberDifferences expected;
      for (std::size_t i = 0; i < padded; ++i) {
        using Kind = NumberDistance<double>::Kind;
        const auto at = distance_of<double>(std::span(x).subspan(i * parts, parts), std::span(y).subspan(i * parts, parts));
        expected.both_nan += at.kind == Kind::both_nan ? 1 : 0;
        expected.one_nan += at.kind == Kind::one_nan ? 1 : 0;
        if (at.kind != Kind::numbers) continue;
        ++expected.numbers;
        expected.outside += at.inside(tolerance) ? 0 : 1;
        expected.absolute = std::max(expected.absolute, at.absolute());
        expected.relative = std::max(expected.relative, at.relative());
      }
      for (const CompareKernels* const kernels : all_compare_kernels()) {
        const NumberDifferences found = kernels->number_differences[parts - 1](x.data(), y.data(), padded, {.tolerance = tolerance});
        CAPTURE(round, parts, padded, exponent);
        REQUIRE(found.numbers == expected.numbers);
        REQUIRE(found.both_nan == expected.both_nan);
        REQUIRE(found.one_nan == expected.one_nan);
        REQUIRE(found.outside == expected.outside);
        REQUIRE(same(found.absolute, expected.absolute));
        REQUIRE(same(found.relative, expected.relative));
        // Where larger errors are known, only those that reach them matter.
        const double known = expected.absolute * (chance() % 2 == 0 ? 1 : 1.0000001);
        const double ratio = expected.relative * (chance() % 2 == 0 ? 1 : 0.9);
        const NumberLimits limits{.tolerance = tolerance, .absolute = known, .relative = ratio};
        const NumberDifferences rest = kernels->number_differences[parts - 1](x.data(), y.data(), padded, limits);
        REQUIRE(rest.numbers == expected.numbers);
        REQUIRE(rest.outside == expected.outside);
        REQUIRE((same(rest.absolute, expected.absolute) || (expected.absolute < known && rest.absolute < expected.absolute)));
        REQUIRE((same(rest.relative, expected.relative) || (expected.relative < ratio && rest.relative < expected.relative)));
      }
    }
  }
}

// What NumPy's isclose(x, y, rtol, atol, equal_nan=True) says.
bool is_close(std::complex<double> x, std::complex<double> y, Tolerance tolerance) {
  const auto is_nan = [](std::complex<double> v) { return std::isnan(v.real()) || std::isnan(v.imag()); };
  const bool finite = std::isfinite(y.real()) && std::isfinite(y.imag());
  return (finite && std::abs(x - y) <= tolerance.absolute + tolerance.relative * std::abs(y)) || x == y ||
         (is_nan(x) && is_nan(y));
}

TEST_CASE("every instruction set calls close what NumPy does, whatever is infinite or NaN", "[core][compare]") {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  constexpr double kParts[] = {
      0, -0.0, 1, 1.000001, 2, -1, 1e-9, 1e300, 1.000001e300, kInfinity, -kInfinity, std::numeric_limits<double>::quiet_NaN()};
  constexpr Tolerance kTolerance{.absolute = 1e-8, .relative = 1e-5};
  std::size_t at = 0;
  for (const CompareKernels* const kernels : all_compare_kernels()) {
    INFO("table " << at++);
    const auto is_outside = [&](std::size_t parts, const std::vector<double>& a, const std::vector<double>& b) {
      std::vector<double> x(parts * kDifferencePadding), y = x;
      std::ranges::copy(a, x.begin());
      std::ranges::copy(b, y.begin());
      const NumberDifferences found = kernels->number_differences[parts - 1](x.data(), y.data(), kDifferencePadding, {.tolerance = kTolerance});
      const auto distance = distance_of<double>(a, b);
      CHECK(found.outside == (distance.kind == NumberDistance<double>::Kind::numbers && !distance.inside(kTolerance) ? 1U : 0U));
      return found.outside + found.one_nan == 1;
    };
    for (const double a : kParts) {
      for (const double b : kParts) {
        CAPTURE(a, b);
        CHECK(is_outside(1, {a}, {b}) != is_close(a, b, kTolerance));
        for (const double c : kParts) {
          for (const double d : kParts) {
            if (is_outside(2, {a, b}, {c, d}) != is_close({a, b}, {c, d}, kTolerance)) continue;
            FAIL("(" << a << ", " << b << ") and (" << c << ", " << d << ")");
          }
        }
      }
    }
  }
}

TEST_CASE("a ratio is infinite only next to 0 or an infinity, also where a distance is too large for a double",
          "[core][compare]") {
  constexpr double kInfinity = std::numeric_limits<double>::infinity(), kMax = std::numeric_limits<double>::max();
  struct Pair {
    std::vector<double> a, b;
    double absolute, relative;
  };
  const Pair pairs[] = {
      {{1.7e308}, {-1.7e308}, kMax, 2},
      {{kMax}, {-kMax}, kMax, 2},
      {{-kMax}, {kMax / 2}, kMax, 3},
      {{1}, {std::numeric_limits<double>::denorm_min()}, 1, kMax},
      {{kMax}, {0}, kMax, kInfinity},
      {{kInfinity}, {1}, kInfinity, kInfinity},
      {{1}, {-kInfinity}, kInfinity, kInfinity},
      {{kMax, kMax}, {-kMax, -kMax}, kMax, 2},
      {{1.5e308, 0}, {1.5e308, 1.5e308}, 1.5e308, std::sqrt(0.5)},  // the second one's magnitude is too large
      {{1.5e308, 1.5e308}, {0, 0}, kMax, kInfinity},
      {{kMax, kMax}, {0, std::numeric_limits<double>::denorm_min()}, kMax, kMax},
      {{kInfinity, 1}, {kInfinity, 2}, 1, kInfinity},
      {{kInfinity, 1.7e308}, {kInfinity, -1.7e308}, kInfinity, kInfinity},
  };
  for (const Pair& pair : pairs) {
    const std::size_t parts = pair.a.size();
    CAPTURE(parts, pair.a[0], pair.b[0]);
    const auto distance = distance_of<double>(pair.a, pair.b);
    CHECK(distance.absolute() == pair.absolute);
    CHECK((distance.relative() == pair.relative || std::abs(distance.relative() - pair.relative) <= 1e-15 * pair.relative));
    std::vector<double> x(parts * kDifferencePadding), y = x;
    std::ranges::copy(pair.a, x.begin());
    std::ranges::copy(pair.b, y.begin());
    for (const CompareKernels* const kernels : all_compare_kernels()) {
      const NumberDifferences found = kernels->number_differences[parts - 1](x.data(), y.data(), kDifferencePadding, {});
      CHECK(same(found.absolute, distance.absolute()));
      CHECK(same(found.relative, distance.relative()));
    }
    const DType dtype = dtype_from_name(parts == 1 ? "float64" : "complex128").value();
    for (const DifferenceKind kind : {DifferenceKind::absolute, DifferenceKind::relative}) {
      PairDifferences picture(dtype, dtype, kind);
      picture.work_out(reinterpret_cast<const std::byte*>(x.data()), reinterpret_cast<const std::byte*>(y.data()), 1);
      const double shown = picture.differences()[0];
      CHECK(same(shown, kind == DifferenceKind::relative ? distance.relative() : distance.absolute()));
    }
  }
}

}  // namespace dlscope::core
