#include "core/sharing/floor_sum.h"

#include <catch2/catch_test_macros.hpp>

#include <cstdint>
#include <numeric>
#include <optional>
#include <set>

#include "core/sharing/modular.h"
#include "core/sharing/progression_overlap.h"
#include "tests/core/sharing/brute_force.h"

using namespace dlscope::core;
using namespace dlscope::core::test;

namespace {

std::uint64_t some(Random& random, std::uint64_t low, std::uint64_t high) {
  return static_cast<std::uint64_t>(pick(random, static_cast<std::int64_t>(low), static_cast<std::int64_t>(high)));
}

}  // namespace

TEST_CASE("Floor sums equal the sum term by term", "[core][memory]") {
  Random random(41);
  for (int i = 0; i < 20'000; ++i) {
    const std::uint64_t n = some(random, 0, 60), m = some(random, 1, 80), a = some(random, 0, 200), b = some(random, 0, 200);
    std::uint64_t expected = 0;
    for (std::uint64_t k = 0; k < n; ++k) expected += (a * k + b) / m;
    REQUIRE(floor_sum(n, m, a, b) == expected);
  }
}

TEST_CASE("Floor sums of large numbers are right where they wrap and where products need 128 bits", "[core][memory]") {
  // The sum over a whole period: floor((a k + b) / m) over k < m is (a - 1)(m - 1) / 2 + b for a, m without common divisor.
  const std::uint64_t m = (std::uint64_t{1} << 61) - 1;  // prime
  for (const std::uint64_t a : {std::uint64_t{2}, std::uint64_t{3}, m - 1, m / 2, std::uint64_t{1} << 60}) {
    const std::uint64_t expected = (a - 1) % 2 == 0 ? (a - 1) / 2 * (m - 1) : (a - 1) * ((m - 1) / 2);
    CHECK(floor_sum(m, m, a, 0) == expected);
    CHECK(floor_sum(m, m, a, 5) == expected + 5);
    // Each residue once.
    CHECK(count_residues_below(m, m, a, 17, 1000) == 1000);
    CHECK(count_residues_below(m, m, a, 17, m) == m);
  }
}

TEST_CASE("Residues below a bound are counted and first found as by trying all", "[core][memory]") {
  Random random(43);
  for (int i = 0; i < 20'000; ++i) {
    const std::uint64_t m = some(random, 1, 60), a = some(random, 0, m - 1), c = some(random, 0, m - 1);
    const std::uint64_t width = some(random, 1, m), n = some(random, 0, 200);
    std::uint64_t expected = 0;
    std::optional<std::uint64_t> first;
    for (std::uint64_t k = 0; k < 200; ++k) {
      if ((a * k + c) % m >= width) continue;
      if (k < n) ++expected;
      if (!first) first = k;
    }
    REQUIRE(count_residues_below(n, m, a, c, width) == expected);
    REQUIRE(first_residue_below(m, a, c, width) == first);
  }
}

TEST_CASE("Linear congruences are solved as by trying all", "[core][memory]") {
  for (std::int64_t q = 1; q <= 30; ++q) {
    for (std::int64_t p = 1; p <= 30; ++p) {
      if (std::gcd(p, q) != 1) continue;
      for (std::int64_t value = -40; value <= 40; ++value) {
        const std::int64_t x = solve_residue(value, p, q);
        REQUIRE((x >= 0 && x < q));
        REQUIRE((p * x - value) % q == 0);
      }
    }
  }
}

TEST_CASE("The floor sums needed are no small number where their product has more than 64 bits", "[core][memory]") {
  const std::uint64_t run = std::uint64_t{1} << 32, column = (run >> 1) + 1;
  const Progression progression{run + 1, 4, run};
  const RowsOfRuns rows{3 * column, 3, column, 2, run >> 1};
  CHECK(in_units(progression, rows, 0).sums == ~std::uint64_t{0});  // 2 * 2^32 * 2^31
  CHECK(in_units({5, 4, 3}, {12, 3, 4, 2, 2}, 1).sums == 12);
}

TEST_CASE("A progression and rows have in common what listing their bytes says", "[core][memory]") {
  Random random(47);
  int met = 0;
  for (int i = 0; i < 20'000; ++i) {
    Progression p;
    p.run = some(random, 1, 4);
    p.stride = p.run + some(random, 0, 30);
    p.count = some(random, 1, 40);
    RowsOfRuns rows;
    rows.run = some(random, 1, 4);
    rows.stride = rows.run + some(random, 0, 5);
    rows.columns = some(random, 1, 6);
    rows.pitch = rows.stride * (rows.columns + some(random, 0, 6));
    rows.count = some(random, 1, 12);
    if (pick(random, 0, 2) == 0) {
      const std::uint64_t unit = some(random, 2, 8);
      for (std::uint64_t* const number : {&p.run, &p.stride, &rows.run, &rows.stride, &rows.pitch}) *number *= unit;
    }
    const std::int64_t offset = pick(random, -400, 400);
    std::set<std::int64_t> in_rows;
    for (std::uint64_t l = 0; l < rows.count; ++l) {
      for (std::uint64_t column = 0; column < rows.columns; ++column) {
        for (std::uint64_t byte = 0; byte < rows.run; ++byte)
          in_rows.insert(offset + static_cast<std::int64_t>(l * rows.pitch + column * rows.stride + byte));
      }
    }
    ProgressionCommon expected;
    for (std::uint64_t k = 0; k < p.count; ++k) {
      for (std::uint64_t byte = 0; byte < p.run; ++byte) {
        const std::uint64_t at = k * p.stride + byte;
        if (in_rows.contains(static_cast<std::int64_t>(at)) && expected.count++ == 0) expected.lowest = at;
      }
    }
    const ProgressionCommon found = common_with_rows(in_units(p, rows, offset));
    REQUIRE(found.count == expected.count);
    if (expected.count > 0) REQUIRE(found.lowest == expected.lowest);
    met += expected.count > 0 ? 1 : 0;
  }
  CHECK(met > 5000);
}
