#include "core/sharing/row_sweep.h"

#include <catch2/catch_test_macros.hpp>

#include <set>
#include <stop_token>
#include <vector>

#include "core/sharing/bit_kernels.h"
#include "tests/core/sharing/brute_force.h"

using namespace dlscope::core;
using namespace dlscope::core::test;

namespace {

// A sum of a run and up to three progressions that owns its axes; `offsets` by visiting every tuple.
struct Sum {
  std::vector<Axis> axes;
  std::set<std::uint64_t> offsets{0};

  void add(Axis axis) {
    axes.push_back(axis);
    std::set<std::uint64_t> sums;
    for (const std::uint64_t offset : offsets) {
      for (std::uint64_t k = 0; k < axis.count; ++k) sums.insert(offset + k * axis.stride);
    }
    offsets = std::move(sums);
  }
};

Sum random_sum(Random& random) {
  Sum sum;
  sum.add({1, static_cast<std::uint64_t>(pick(random, 1, 5))});
  for (std::int64_t rank = pick(random, 0, 3); rank > 0; --rank) {
    const std::int64_t largest = pick(random, 0, 3) == 0 ? 300 : 40;
    sum.add({static_cast<std::uint64_t>(pick(random, 1, largest)), static_cast<std::uint64_t>(pick(random, 2, 9))});
  }
  return sum;
}

// Either the set begins inside the window, behind a hole, or the window begins inside the set.
SumWindow random_window(Random& random, const Sum& sum, std::uint64_t bits) {
  SumWindow window{sum.axes, 0, 0, 0};
  if (pick(random, 0, 1) == 0)
    window.begin = static_cast<std::uint64_t>(pick(random, 0, static_cast<std::int64_t>(*sum.offsets.rbegin())));
  else
    window.hole = static_cast<std::uint64_t>(pick(random, 0, static_cast<std::int64_t>(bits) - 1));
  window.end = window.begin + bits - window.hole;
  return window;
}

std::set<std::uint64_t> bits_of(const Sum& sum, const SumWindow& window) {
  std::set<std::uint64_t> bits;
  for (const std::uint64_t offset : sum.offsets) {
    if (offset >= window.begin && offset < window.end) bits.insert(window.hole + offset - window.begin);
  }
  return bits;
}

// Every way to sweep the sum, and the one that is chosen.
std::vector<SweepPlan> all_plans(const SumWindow& window) {
  std::vector<SweepPlan> plans{plan_sweep(window)};
  for (std::size_t walked = 0; walked < window.axes.size(); ++walked) {
    plans.push_back({SweepPlan::kNone, walked, 1, 1});
    for (std::size_t repeated = 0; repeated < window.axes.size(); ++repeated) {
      if (repeated != walked) plans.push_back({repeated, walked, 1, 1});
    }
  }
  return plans;
}

}  // namespace

TEST_CASE("A sweep by rows counts what listing every offset counts, whichever axes it takes", "[core][memory][bits]") {
  Random random(31);
  for (int round = 0; round < 400; ++round) {
    const Sum a = random_sum(random), b = random_sum(random);
    const auto bits = static_cast<std::uint64_t>(pick(random, 1, 700));
    const SumWindow window_a = random_window(random, a, bits), window_b = random_window(random, b, bits);
    const std::set<std::uint64_t> in_a = bits_of(a, window_a), in_b = bits_of(b, window_b);
    SweptCommon expected;
    for (const std::uint64_t bit : in_a) {
      if (in_b.contains(bit) && expected.count++ == 0) expected.lowest = bit;
    }
    const std::vector<SweepPlan> plans_b = all_plans(window_b);
    std::size_t next = 0;
    for (const SweepPlan& plan_a : all_plans(window_a)) {
      REQUIRE(plan_a.possible());
      const SweepPlan& plan_b = plans_b[next++ % plans_b.size()];
      INFO("round " << round << ", axes " << plan_a.repeated << ' ' << plan_a.walked << ", " << plan_b.repeated << ' '
                    << plan_b.walked);
      const auto found = sweep_common(window_a, plan_a, window_b, plan_b, bits, {});
      REQUIRE(found);
      REQUIRE(found->count == expected.count);
      if (expected.count > 0) REQUIRE(found->lowest == expected.lowest);
      if (in_a.size() == a.offsets.size()) REQUIRE(found->in_a == a.offsets.size());
      if (in_b.size() == b.offsets.size()) REQUIRE(found->in_b == b.offsets.size());
      REQUIRE(sweep_count(window_a, plan_a, {}) == a.offsets.size());
    }
  }
}

TEST_CASE("The memory and the cost of a sweep are right where there are more tuples than 64 bits count", "[core][memory]") {
  // Walking any two of the long axes leaves a million cursors or more.
  const std::vector<Axis> axes{{1, 1}, {6, 1 << 20}, {10, 1 << 30}, {15, 1 << 20}};
  CHECK_FALSE(plan_sweep({axes, 0, span_of(axes), 0}).possible());
  // Walking the long axes leaves 2^16 cursors, whose elements nobody could visit.
  const std::vector<Axis> fewer{{1, 1}, {6, 1 << 16}, {10, 1 << 30}, {15, 1 << 30}};
  const SweepPlan plan = plan_sweep({fewer, 0, span_of(fewer), 0});
  CHECK(plan.possible());
  CHECK(plan.scratch_bytes <= 8'000'000);
  CHECK(plan.cost_words >= std::uint64_t{1} << 46);
}

TEST_CASE("A sweep that needs too much memory is not possible, one that is stopped has no answer", "[core][memory]") {
  const std::vector<Axis> far{{1, 1}, {std::uint64_t{1} << 40, 1 << 21}, {(std::uint64_t{1} << 40) + 1, 1 << 21}};
  CHECK_FALSE(plan_sweep({far, 0, std::uint64_t{1} << 50, 0}).possible());
  const std::vector<Axis> near{{1, 1}, {1009, 1000}, {1013, 1000}, {1019, 1000}};
  const SumWindow window{near, 0, 3'000'000, 0};
  std::stop_source source;
  source.request_stop();
  CHECK_FALSE(sweep_common(window, plan_sweep(window), window, plan_sweep(window), 3'000'000, source.get_token()));
  CHECK_FALSE(sweep_count(window, plan_sweep(window), source.get_token()));
}

TEST_CASE("Bits of two words at any distance are counted as one by one", "[core][memory][bits]") {
  Random random(37);
  std::vector<std::uint64_t> a(80), b(80);
  for (int round = 0; round < 3000; ++round) {
    const std::uint64_t density = random();
    for (std::uint64_t& word : a) word = random() | density;
    for (std::uint64_t& word : b) word = random() & random();
    const auto a_first = static_cast<std::uint64_t>(pick(random, 0, 200));
    const auto b_first = static_cast<std::uint64_t>(pick(random, 0, 200));
    const auto bits = static_cast<std::uint64_t>(pick(random, 0, round % 2 == 0 ? 130 : 4600));
    const auto has = [](const std::vector<std::uint64_t>& words, std::uint64_t bit) {
      return (words[bit / 64] >> (bit % 64)) & 1;
    };
    std::uint64_t expected = 0, lowest = bits;
    for (std::uint64_t i = bits; i-- > 0;) {
      if ((has(a, a_first + i) & has(b, b_first + i)) == 0) continue;
      ++expected;
      lowest = i;
    }
    REQUIRE(count_common_bits(a.data(), a_first, b.data(), b_first, bits) == expected);
    if (expected > 0) REQUIRE(lowest_common_bit(a.data(), a_first, b.data(), b_first) == lowest);
  }
}
