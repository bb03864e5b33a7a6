// Every loop that may take long looks at its stop token: with the stop requested before, each gives up within the work that its
// watch allows, and none returns a wrong answer.
#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <functional>
#include <stop_token>
#include <thread>
#include <vector>

#include "core/sharing/byte_set.h"
#include "core/sharing/nested_overlap.h"
#include "core/sharing/row_sweep.h"
#include "core/sharing/run_list.h"
#include "core/sharing/sharing_groups.h"
#include "core/sharing/stop_watch.h"
#include "core/sharing/touch_count.h"
#include "core/sharing/work_budget.h"
#include "tests/core/sharing/brute_force.h"

using namespace dlscope::core;
using namespace dlscope::core::test;

namespace {

std::stop_token stopped() {
  std::stop_source source;
  source.request_stop();
  return source.get_token();
}

OwnedView bytes(std::vector<std::int64_t> shape, const std::vector<std::int64_t>& strides, Address address,
                std::uint32_t item_bits = 8) {
  return make_view(Layout::from_byte_strides(std::move(shape), strides, item_bits), address);
}

}  // namespace

TEST_CASE("The lowest common bit is found in any word, the last one too", "[core][memory]") {
  for (const std::uint64_t lowest : {0, 1, 63, 64, 120, 127}) {
    BitWindow a(128, 0), b(128, 0);
    a.set_range(lowest, 128);
    b.set_range(0, 128);
    const auto common = common_bits(a, b, {});
    REQUIRE(common);
    CHECK(common->lowest == lowest);
    CHECK(common->count == 128 - lowest);
  }
}

TEST_CASE("A stop is seen after a fixed amount of work, in steps of any size, and remembered", "[core][memory]") {
  const std::stop_token token = stopped();
  for (const std::uint64_t step : {1u, 7u, 4096u, 1u << 20}) {
    StopWatch watch(token, StopWatch::FirstLook::after_work);
    std::uint64_t done = 0;
    while (watch.go_on(step)) done += step;
    CHECK(done < StopWatch::kStepsPerLook);
    CHECK(done + step >= StopWatch::kStepsPerLook);
    CHECK_FALSE(watch.go_on(0));
  }
  StopWatch at_once(token);
  CHECK_FALSE(at_once.go_on(1));
  const std::stop_token nobody;
  StopWatch never(nobody);
  for (int i = 0; i < 10; ++i) CHECK(never.go_on(StopWatch::kStepsPerLook));
}

TEST_CASE("Sorting ends when it is stopped, and sorts otherwise", "[core][memory]") {
  Random random(83);
  std::vector<std::uint64_t> values(300'000);
  for (std::uint64_t& value : values) value = random();
  const std::stop_token token = stopped(), nobody;
  StopWatch watch(token, StopWatch::FirstLook::after_work), never(nobody);
  auto other = values;
  CHECK_FALSE(sort_unless_stopped(other, watch, std::identity{}));
  CHECK(sort_unless_stopped(values, never, std::identity{}));
  CHECK(std::ranges::is_sorted(values));
}

TEST_CASE("Loops over bit sets and lists of runs end when they are stopped", "[core][memory]") {
  constexpr std::uint64_t kBits = std::uint64_t{1} << 24;
  const std::vector<Axis> run{{1, kBits}};
  const SumWindow window{run, 0, kBits, 0};
  const auto set = build_sum_set(window, {});
  REQUIRE(set);
  CHECK(count_bits(*set, {}) == kBits);
  CHECK(common_bits(*set, *set, {})->count == kBits);
  CHECK(count_bits(*fold(*set, 8, {}), {}) == kBits / 8);
  CHECK_FALSE(build_sum_set(window, stopped()));
  CHECK_FALSE(count_bits(*set, stopped()));
  CHECK_FALSE(common_bits(*set, *set, stopped()));
  CHECK_FALSE(fold(*set, 8, stopped()));

  std::vector<ByteRange> runs;
  for (Address i = 0; i < 300'000; ++i) runs.push_back({3 * i, 3 * i + 1});
  CHECK(common_of_runs(runs, runs, {})->count == runs.size());
  CHECK_FALSE(common_of_runs(runs, runs, stopped()));
  CHECK_FALSE(merge_runs(runs, stopped()));
}

TEST_CASE("The closed form ends when it is stopped, whatever it counts", "[core][memory]") {
  // Each step of the walk takes a number of floor sums: rows of runs against progressions without a common stride.
  const std::vector<Axis> plain{{1, 3}, {1009, 1000}, {2'000'003, 20'000}};
  const std::vector<Axis> rows{{1, 2}, {10, 4}, {1010, 900}, {1'999'993, 20'000}};
  std::vector<NestedLevel> levels_a(4), levels_b(5);
  const NestedLevel& a = *chain_levels(plain, levels_a.data());
  const NestedLevel& b = *chain_levels(rows, levels_b.data());
  constexpr std::uint64_t kSteps = std::uint64_t{1} << 24;
  std::uint64_t left = kSteps;
  CommonBytes common;
  CHECK_FALSE(common_bytes(a, b, 17, left, stopped(), common));
  CHECK(kSteps - left <= StopWatch::kStepsPerLook / 16);
}

TEST_CASE("A sweep ends when it is stopped while no element enters its rows", "[core][memory]") {
  const std::vector<Axis> axes{{1, 1}, {3, 2}, {7, 2}, {std::uint64_t{1} << 56, 2}};
  const SumWindow window{axes, 0, span_of(axes), 0};
  SweepPlan plan = plan_sweep(window);
  plan.repeated = 1;  // rows of 3 bits, 2^54 of them empty
  plan.walked = 2;
  plan.scratch_bytes = 1;
  std::stop_source source;
  std::jthread stopper([&source] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));  // so that it is in the rows by then
    source.request_stop();
  });
  CHECK_FALSE(sweep_count(window, plan, source.get_token()));
}

TEST_CASE("Many closed forms end when they are stopped, and each is known or said to be stopped", "[core][memory]") {
  const OwnedView a = bytes({40, 400, 3}, {700'001, 1'009, 1}, 1 << 20), b = bytes({40, 300, 2}, {699'997, 1'010, 1}, 1 << 20);
  const MemoryView view_a = a.view(), view_b = b.view();
  const PreparedView prepared_a(view_a), prepared_b(view_b);
  OverlapBudget each;
  each.stop = stopped();
  WorkBudget budget(each, std::uint64_t{1} << 33);
  for (int i = 0; i < 100; ++i) {
    const SetOverlap found = budget.compare(prepared_a.get(), prepared_b.get());
    if (!found.known()) REQUIRE(found.why == UnknownWhy::stopped);
  }
  CHECK(budget.compare(prepared_a.get(), prepared_b.get()).why == UnknownWhy::stopped);
}

TEST_CASE("Touches listed or swept end when they are stopped", "[core][memory]") {
  OverlapBudget budget;
  budget.stop = stopped();
  const OwnedView packed = make_view({{2'000, 9}, {12, 4}, 4}, 1 << 20);  // overlapping elements of 4 bits
  CHECK(count_touches(packed.view(), packed.extent, 10));
  CHECK_FALSE(count_touches(packed.view(), packed.extent, 10, budget));
  const OwnedView windows = bytes({2'000, 9}, {4, 4}, 1 << 20, 32);
  CHECK(count_touches(windows.view(), windows.extent, 10));
  CHECK_FALSE(count_touches(windows.view(), windows.extent, 10, budget));
}
