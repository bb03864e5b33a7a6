#include "core/sharing/overlap.h"

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <set>
#include <stop_token>
#include <thread>
#include <vector>

#include "core/sharing/hard_overlap.h"
#include "tests/core/sharing/agreement.h"
#include "tests/core/sharing/brute_force.h"

using namespace dlscope::core;
using namespace dlscope::core::test;

namespace {

void check_against_brute_force(const OwnedView& a, const OwnedView& b, const OverlapBudget& budget = {}) {
  const Overlap expected = expected_overlap(a, b);
  const Overlap found = overlap(a.view(), b.view(), budget);
  INFO("a: " << text_of(a));
  INFO("b: " << text_of(b));
  INFO("method: " << overlap_method_name(found.method));
  REQUIRE(text_of(found) == text_of(expected));
}

// Ranks 1 to 3 with large strides that have nothing in common: what the closed forms leave to the other methods.
OwnedView incommensurate(Random& random, std::int64_t item_bytes) {
  Layout layout{{}, {}, static_cast<std::uint32_t>(item_bytes * 8)};
  for (std::int64_t rank = pick(random, 1, 3); rank > 0; --rank) {
    layout.shape.push_back(pick(random, 2, rank == 1 ? 40 : 12));
    layout.stride_bits.push_back(8 * item_bytes * pick(random, -400, 400));
  }
  return make_view(std::move(layout), Address{1} << 20);
}

OwnedView bytes(std::vector<std::int64_t> shape, const std::vector<std::int64_t>& strides, Address address,
                std::uint32_t item_bits = 8) {
  return make_view(Layout::from_byte_strides(std::move(shape), strides, item_bits), address);
}

// The example in the documentation of numpy.shares_memory, there said to take about a minute.
ViewPair numpy_hard_example(Address base) {
  return {bytes({1049, 1049, 1049}, {36674, 61119, 85569}, base), bytes({1049, 1049, 1}, {12223, 12224, 1}, base + 64023025)};
}

// Joint window of TiB, nothing in common to compute with, too many elements to list: nobody can know.
ViewPair hopeless_pair() {
  const std::int64_t big = std::int64_t{1} << 38;
  return {bytes({1000, 1000, 1000, 1000}, {big / 1000 + 7, big / 999 + 10, big / 998 + 1, 3}, Address{1} << 45),
          bytes({1000, 1000, 1000, 1000}, {big / 997 + 3, big / 996 + 8, big / 995 + 5, 7}, (Address{1} << 45) + 1)};
}

constexpr Address kBase = Address{1} << 40;

}  // namespace

TEST_CASE("Views without elements are disjoint from everything", "[core][memory]") {
  const OwnedView none = bytes({3, 0, 2}, {8, 8, 4}, kBase + 4, 32);
  const OwnedView some = bytes({10}, {4}, kBase, 32);
  check_against_brute_force(none, some);
  check_against_brute_force(some, none);
  check_against_brute_force(none, none);
  CHECK(distinct_bytes(none.view()) == 0);
  CHECK(element_at(none.view(), kBase + 4) == std::nullopt);
  CHECK(self_overlaps(none.layout) == false);
}

TEST_CASE("A scalar overlaps what covers it", "[core][memory]") {
  const OwnedView scalar = bytes({}, {}, kBase + 8, 64);
  check_against_brute_force(scalar, scalar);
  check_against_brute_force(scalar, bytes({4}, {8}, kBase, 64));
  check_against_brute_force(scalar, bytes({4, 1}, {4, 1000}, kBase, 32));
  check_against_brute_force(scalar, bytes({4}, {8}, kBase + 12, 64));
  CHECK(distinct_bytes(scalar.view()) == 8);
}

TEST_CASE("Touching extents share nothing", "[core][memory]") {
  const Overlap found = overlap(bytes({10}, {4}, kBase, 32).view(), bytes({10}, {4}, kBase + 40, 32).view());
  CHECK(found.relation == Relation::disjoint);
  CHECK(found.method == OverlapMethod::extent);
  CHECK(found.shared_bytes == 0);
  CHECK_FALSE(found.witness);
}

TEST_CASE("Overlap of generated pairs equals brute force", "[core][memory]") {
  Random random(20250101);
  for (int i = 0; i < 20000; ++i) {
    const auto [a, b] = random_pair(random);
    check_against_brute_force(a, b);
    check_against_brute_force(b, a);
  }
}

TEST_CASE("Overlap of incommensurate strides equals brute force", "[core][memory]") {
  Random random(3);
  for (int i = 0; i < 1500; ++i) {
    const std::int64_t item_bytes = std::int64_t{1} << pick(random, 0, 3);
    const OwnedView a = incommensurate(random, item_bytes);
    OwnedView b = incommensurate(random, item_bytes);
    const auto middle = static_cast<std::int64_t>(a.extent.begin + a.extent.size() / 2 - b.extent.begin - b.extent.size() / 2);
    b = make_view(b.layout, b.address + static_cast<Address>(middle + pick(random, -300, 300)));
    check_against_brute_force(a, b);
    check_against_brute_force(b, a);
  }
}

TEST_CASE("Every method is reached by generated pairs, and all of them agree with brute force", "[core][memory]") {
  // A budget without scratch leaves closed forms, residues, the search and short lists; those never answer wrongly either.
  Random random(5);
  int unknown = 0;
  std::set<OverlapMethod> methods;
  for (int i = 0; i < 6000; ++i) {
    const auto [a, b] = random_pair(random);
    methods.insert(overlap(a.view(), b.view()).method);
    const OverlapBudget nothing{.window_units = 0, .scratch_bytes = 0, .stop = {}};
    const Overlap found = overlap(a.view(), b.view(), nothing);
    if (found.relation == Relation::unknown) {
      ++unknown;
      CHECK_FALSE(found.shared_bytes);
      CHECK_FALSE(found.witness);
      continue;
    }
    methods.insert(found.method);
    REQUIRE(text_of(found) == text_of(expected_overlap(a, b)));
  }
  CHECK(unknown > 0);
  for (const OverlapMethod method :
       {OverlapMethod::extent, OverlapMethod::layout, OverlapMethod::residue, OverlapMethod::search, OverlapMethod::bitset}) {
    INFO(overlap_method_name(method));
    CHECK(methods.contains(method));
  }
}

TEST_CASE("Distinct bytes, self-overlap and every element number equal brute force", "[core][memory]") {
  Random random(11);
  for (int i = 0; i < 6000; ++i) {
    const OwnedView view = i % 4 == 0 ? incommensurate(random, pick(random, 1, 8)) : random_view(random);
    INFO(text_of(view));
    const auto touched = touched_bytes(view);
    REQUIRE(distinct_bytes(view.view()) == touched.size());
    REQUIRE(self_overlaps(view.layout) == expected_self_overlap(view.layout));
    std::vector<Address> wrong;
    const auto step = static_cast<Address>(1 + view.extent.size() / 300);
    for (Address address = view.extent.begin - 2; address < view.extent.end + 2; address += step) {
      const auto expected = touched.find(address);
      const auto found = element_at(view.view(), address);
      if (found.has_value() != (expected != touched.end()) || (found && *found != expected->second)) wrong.push_back(address);
    }
    REQUIRE(wrong == std::vector<Address>{});
  }
}

TEST_CASE("Element numbers by bit sets equal brute force", "[core][memory]") {
  // Too few nodes for the search, words enough for the sets.
  OverlapBudget budget;
  budget.work = 8000;
  Random random(29);
  for (int i = 0; i < 40; ++i) {
    Layout layout{{}, {}, static_cast<std::uint32_t>(pick(random, 1, 2) * 4)};
    for (int d = 0; d < 7; ++d) {
      layout.shape.push_back(3);
      layout.stride_bits.push_back(pick(random, 40, 90) * (i % 2 == 0 ? 8 : 1) * (d % 2 == 0 ? 1 : -1));
    }
    const OwnedView view = make_view(std::move(layout), Address{1} << 20);
    INFO(text_of(view));
    const auto touched = touched_bytes(view);
    std::vector<Address> wrong;
    for (Address address = view.extent.begin; address < view.extent.end; ++address) {
      const auto expected = touched.find(address);
      const auto found = element_at(view.view(), address, budget);
      if (found.has_value() != (expected != touched.end()) || (found && *found != expected->second)) wrong.push_back(address);
    }
    REQUIRE(wrong == std::vector<Address>{});
  }
}

TEST_CASE("Packed sub-byte views share the bytes they touch, not only the bits", "[core][memory]") {
  // int4[8]: the even and the odd nibbles lie in the same four bytes.
  const OwnedView even = make_view(Layout::from_element_strides({4}, {2}, 4), kBase);
  const OwnedView all = make_view(Layout::c_order({8}, 4), kBase);
  check_against_brute_force(even, all);
  check_against_brute_force(even, bytes({4}, {1}, kBase));
  check_against_brute_force(make_view(Layout::from_element_strides({3}, {3}, 4), kBase), bytes({1}, {1}, kBase + 2));
  CHECK(self_overlaps(all.layout) == false);  // neighbours share a byte, but no bit
  CHECK(self_overlaps(make_view(Layout{{3}, {3}, 4}, kBase).layout) == true);
}

TEST_CASE("Extents at the very end of the address space", "[core][memory]") {
  const Address top = ~Address{0};
  const OwnedView last = bytes({8, 2}, {16, 4}, top - 124, 64);
  REQUIRE(last.extent.end == top);
  const OwnedView end = bytes({4}, {-8}, top - 8, 64);
  REQUIRE(end.extent.end == top);
  check_against_brute_force(last, end);
  check_against_brute_force(end, last);
  check_against_brute_force(bytes({5}, {7}, 0, 24), bytes({3, 3}, {5, 2}, 0, 8));
  // Bit sets and searches there as well.
  Random random(17);
  for (int i = 0; i < 500; ++i) {
    OwnedView a = incommensurate(random, 1), b = incommensurate(random, 1);
    a = make_view(a.layout, a.address + (top - a.extent.end));
    b = make_view(b.layout, b.address + (top - b.extent.end));
    check_against_brute_force(a, b);
  }
}

TEST_CASE("Huge layouts are decided without memory of their size", "[core][memory]") {
  const OverlapBudget small{.window_units = std::uint64_t{1} << 20, .scratch_bytes = std::uint64_t{1} << 20, .stop = {}};
  const std::int64_t tib = std::int64_t{1} << 40;
  const OwnedView matrix = bytes({1 << 20, 1 << 20}, {1 << 22, 4}, kBase, 32);  // 4 TiB, dense
  SECTION("column in matrix") {
    const Overlap found = overlap(matrix.view(), bytes({1 << 20}, {1 << 22}, kBase + 400, 32).view(), small);
    CHECK(text_of(found) == "contains, 4194304 bytes, lowest " + std::to_string(kBase + 400) + " in elements 100 and 0");
  }
  SECTION("two columns") {
    const Overlap found =
        overlap(bytes({1 << 20}, {1 << 22}, kBase, 32).view(), bytes({1 << 20}, {1 << 22}, kBase + 8, 32).view(), small);
    CHECK(found.relation == Relation::interleaved);
  }
  SECTION("every third and every fifth of 4 TiB") {
    const Overlap found = overlap(bytes({tib / 3}, {12}, kBase, 32).view(), bytes({tib / 5}, {20}, kBase + 24, 32).view(), small);
    CHECK(found.relation == Relation::overlaps);
    // 12 i = 24 + 20 j: i = 2 + 5 k, j = 3 k, while j is below tib / 5 and i below tib / 3.
    CHECK(found.shared_bytes == 4 * static_cast<std::uint64_t>((tib / 5 + 2) / 3));
    CHECK(found.witness->address == kBase + 24);
  }
  SECTION("a handful of elements, far apart, with strides that fit nothing") {
    const Overlap found =
        overlap(bytes({3, 5}, {tib + 1, tib / 7}, kBase, 64).view(), bytes({7, 2}, {tib / 3, 5}, kBase + 3, 64).view(), small);
    CHECK(found.relation == Relation::overlaps);
    CHECK(found.witness->address == kBase + 3);
  }
  SECTION("sizes") {
    CHECK(distinct_bytes(matrix.view(), small) == std::uint64_t{1} << 42);
    CHECK(distinct_bytes(bytes({1 << 20, 1 << 20, 5}, {1 << 22, 4, 4}, kBase, 32).view(), small) ==
          (std::uint64_t{1} << 42) + 16);
    CHECK(element_at(matrix.view(), kBase + (std::uint64_t{1} << 41) + 7) == (std::uint64_t{1} << 39) + 1);
    // Two axes that are no multiples of one another: sums come twice only where both axes are long enough.
    CHECK(distinct_bytes(bytes({1'000'000, 1'000'000}, {999'999, 1'000'003}, kBase).view(), small) == 1'000'000'000'000u);
    CHECK(distinct_bytes(bytes({1'000'013, 1'000'000}, {999'999, 1'000'003}, kBase).view(), small) ==
          1'000'013'000'000u - 10 * 1);
  }
}

TEST_CASE("Long runs without a common divisor are decided from the few that there are", "[core][memory]") {
  // Counted byte by byte, the sums of the closed form would be 2^64, which 64 bits do not hold.
  const std::int64_t run_a = std::int64_t{1} << 32, run_b = std::int64_t{1} << 31, c = run_b + 1;
  const OwnedView a = bytes({4, run_a}, {run_a + 1, 1}, kBase), b = bytes({3, 2, run_b}, {3 * c, c, 1}, kBase);
  std::uint64_t expected = 0;
  for (std::int64_t i = 0; i < 4; ++i) {
    for (std::int64_t j = 0; j < 6; ++j) {
      const std::int64_t in_a = i * (run_a + 1), in_b = (j / 2) * 3 * c + (j % 2) * c;
      expected += static_cast<std::uint64_t>(
          std::max<std::int64_t>(0, std::min(in_a + run_a, in_b + run_b) - std::max(in_a, in_b)));
    }
  }
  const Overlap found = overlap(a.view(), b.view());
  CHECK(found.shared_bytes == expected);
  CHECK(found.relation == Relation::overlaps);
  REQUIRE(found.witness);
  CHECK(found.witness->address == kBase);
}

TEST_CASE("Over budget is unknown, and nothing else is", "[core][memory]") {
  const auto [a, b] = hopeless_pair();
  const Overlap found = overlap(a.view(), b.view());
  CHECK(found.relation == Relation::unknown);
  CHECK(found.why == UnknownWhy::over_budget);
  CHECK_FALSE(found.shared_bytes);
  CHECK_FALSE(found.witness);
  CHECK(distinct_bytes(a.view()) == std::nullopt);

  const auto [x1, x2] = numpy_hard_example(kBase);
  const OverlapBudget too_small{.window_units = std::uint64_t{1} << 32, .scratch_bytes = 1000, .stop = {}};
  CHECK(overlap(x1.view(), x2.view(), too_small).relation == Relation::unknown);
}

TEST_CASE("numpy's documented hard example is decided exactly", "[core][memory]") {
  const auto [x1, x2] = numpy_hard_example(kBase);
  const Overlap found = overlap(x1.view(), x2.view());
  CHECK(found.relation == Relation::interleaved);
  CHECK(found.shared_bytes == 0);
  CHECK((found.method == OverlapMethod::bitset || found.method == OverlapMethod::sweep));
  // One byte further there is something: judged by listing x2's bytes and asking for each whether x1 reaches it.
  const OwnedView moved = make_view(x2.layout, x2.address + 1);
  const Overlap near = overlap(x1.view(), moved.view());
  CHECK(near.method == OverlapMethod::sweep);
  const MemoryView view_1 = x1.view(), view_moved = moved.view();
  const PreparedView set_1(view_1), set_moved(view_moved);
  const SetOverlap by_bits = overlap_by_bit_sets(set_1.get().set, set_moved.get().set, {});
  REQUIRE(by_bits.known());
  CHECK(near.relation == by_bits.relation);
  CHECK(near.shared_bytes == by_bits.shared_bytes);
  CHECK((!by_bits.shares() || (near.witness && near.witness->address == by_bits.witness)));
  std::uint64_t common = 0;
  for (std::int64_t i = 0; i < 1049; i += 524) {
    for (std::int64_t j = 0; j < 1049; j += 16) {
      const Address address = moved.address + static_cast<Address>(12223 * i + 12224 * j);
      const auto element = element_at(x1.view(), address);
      if (!element) continue;
      ++common;
      CHECK(x1.address + static_cast<Address>(bit_offset_of(x1.layout, *element) / 8) == address);
    }
  }
  CHECK(near.shared_bytes.value() >= common);
}

TEST_CASE("A stopped comparison is unknown", "[core][memory]") {
  std::stop_source source;
  source.request_stop();
  const OverlapBudget stopped{.stop = source.get_token()};
  const auto [x1, x2] = numpy_hard_example(kBase);
  const Overlap found = overlap(x1.view(), x2.view(), stopped);
  CHECK(found.relation == Relation::unknown);
  CHECK(found.why == UnknownWhy::stopped);
  // What needs no time needs no stopping.
  CHECK(overlap(bytes({10}, {4}, kBase, 32).view(), bytes({10}, {4}, kBase + 4, 32).view(), stopped).relation ==
        Relation::overlaps);
}

TEST_CASE("A comparison is stopped from another thread", "[core][memory]") {
  const auto [a, b] = hopeless_pair();
  std::stop_source source;
  const OverlapBudget budget{
      .window_units = ~std::uint64_t{0}, .scratch_bytes = std::uint64_t{1} << 30, .stop = source.get_token()};
  std::jthread stopper([&source] { source.request_stop(); });
  CHECK(overlap(a.view(), b.view(), budget).relation == Relation::unknown);
}
