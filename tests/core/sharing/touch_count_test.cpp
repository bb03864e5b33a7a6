#include "core/sharing/touch_count.h"

#include <catch2/catch_test_macros.hpp>

#include <stop_token>
#include <vector>

#include "tests/core/sharing/brute_force.h"

using namespace dlscope::core;
using namespace dlscope::core::test;

namespace {

constexpr Address kBase = Address{1} << 40;
constexpr ByteRange kEverywhere{0, ~Address{0}};

OwnedView bytes(std::vector<std::int64_t> shape, const std::vector<std::int64_t>& strides, std::uint32_t item_bits) {
  return make_view(Layout::from_byte_strides(std::move(shape), strides, item_bits), kBase);
}

}  // namespace

TEST_CASE("Touches of generated views equal listing every element, whole and in a window", "[core][memory]") {
  Random random(61);
  for (int i = 0; i < 4000; ++i) {
    const OwnedView view = random_view(random);
    ByteRange window = kEverywhere;
    if (i % 3 == 0 && !view.extent.empty()) {
      window.begin = view.extent.begin + static_cast<Address>(pick(random, 0, static_cast<std::int64_t>(view.extent.size())));
      window.end = window.begin + static_cast<Address>(pick(random, 0, 40));
    }
    const auto most_runs = static_cast<std::size_t>(i % 5 == 0 ? 3 : 1000);
    const auto found = count_touches(view.view(), window, most_runs);
    const auto expected = count_touches_by_listing(view.view(), window, most_runs);
    INFO(describe(view.layout) << ", items of " << view.layout.item_bits << " bits");
    REQUIRE(found);
    REQUIRE(expected);
    REQUIRE(found->counts == expected->counts);
    REQUIRE(found->runs == expected->runs);
    REQUIRE(found->has_all_runs == expected->has_all_runs);
  }
}

TEST_CASE("Runs that take more work than allowed are left out, and the counts stay", "[core][memory]") {
  const OwnedView column = bytes({100'000, 3}, {8, 0}, 32);
  const OverlapBudget small{.work = 1 << 16, .stop = {}};
  const auto found = count_touches(column.view(), kEverywhere, 1'000'000, small);
  REQUIRE(found);
  CHECK(found->counts == std::vector<TouchedBytes>{{3, 400'000}});
  CHECK(found->runs.empty());
  CHECK_FALSE(found->has_all_runs);
  const auto part = count_touches(column.view(), {kBase + 8000, kBase + 8016}, 1'000'000, small);
  REQUIRE(part);
  CHECK(part->runs == std::vector<TouchedRun>{{{kBase + 8000, kBase + 8004}, 3}, {{kBase + 8008, kBase + 8012}, 3}});
  CHECK(part->has_all_runs);
}

TEST_CASE("Sliding windows too many to list are counted by the sweep", "[core][memory]") {
  Random random(67);
  for (int i = 0; i < 30; ++i) {
    const std::int64_t item = std::int64_t{1} << pick(random, 0, 3), step = pick(random, 1, 3) * item;
    const std::int64_t pitch = pick(random, 40, 90) * item;
    const OwnedView view = bytes({pick(random, 20, 40), pick(random, 20, 40), pick(random, 2, 6), pick(random, 2, 6)},
                                 {pitch, step, pitch, item}, static_cast<std::uint32_t>(item) * 8);
    const auto found = count_touches(view.view(), kEverywhere, 1'000'000);
    const auto expected = count_touches_by_listing(view.view(), kEverywhere, 1'000'000);
    REQUIRE(found);
    REQUIRE(found->counts == expected->counts);
    REQUIRE(found->runs == expected->runs);
  }
  // All windows of 3 x 3 over 10,000 x 10,000 float32: nine times, but at the border.
  const auto large = count_touches(bytes({9998, 9998, 3, 3}, {40'000, 4, 40'000, 4}, 32).view(), {kBase, kBase + 40}, 100);
  REQUIRE(large);
  CHECK(large->counts.size() == 6);  // 1, 2, 3 on the border times 1, 2, 3: 1 2 3 4 6 9
  CHECK(large->counts.back() == TouchedBytes{9, 9996ull * 9996 * 4});
}

TEST_CASE("Listing keeps to the scratch memory that it may use", "[core][memory]") {
  const OwnedView packed = make_view({{500, 3}, {12, 4}, 4}, kBase);
  OverlapBudget budget;
  budget.scratch_bytes = 500 * 3 * 32;
  CHECK(count_touches_by_listing(packed.view(), kEverywhere, 10, budget));
  budget.scratch_bytes -= 1;
  CHECK_FALSE(count_touches_by_listing(packed.view(), kEverywhere, 10, budget));
}

TEST_CASE("A stride of 0 multiplies, and what is too much is unknown", "[core][memory]") {
  const auto broadcast = count_touches(bytes({1'000'000, 5}, {0, 8}, 32).view(), kEverywhere, 10);
  REQUIRE(broadcast);
  CHECK(broadcast->counts == std::vector<TouchedBytes>{{1'000'000, 20}});
  CHECK(broadcast->runs.size() == 5);
  const OwnedView windows = bytes({9998, 9998, 3, 3}, {40'000, 4, 40'000, 4}, 32);
  OverlapBudget little;
  little.work = 1000;
  CHECK_FALSE(count_touches(windows.view(), kEverywhere, 10, little));
  std::stop_source source;
  source.request_stop();
  CHECK_FALSE(count_touches(windows.view(), kEverywhere, 10, {.stop = source.get_token()}));
}
