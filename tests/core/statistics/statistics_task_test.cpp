// The statistics as tasks: the same answer in steps as in one go, a sample first, memory that cannot be read.
#include "core/statistics/statistics_task.h"

#include <sys/mman.h>

#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

#include "core/statistics/survey_task.h"
#include "slow_reference.h"

namespace dlscope::core {
namespace {

std::shared_ptr<const MemoryReader> own_memory() { return process_reader(0).value(); }

TensorValues values_of(DType dtype, const Layout& layout, const void* data) {
  return {dtype, layout, reinterpret_cast<Address>(data), {}};
}

// Steps until it is done; progress never falls and ends at its total.
std::uint64_t run(Task& task) {
  std::uint64_t steps = 0, before = 0;
  for (bool more = true; more; ++steps) {
    const auto state = task.step();
    INFO((state ? std::string() : state.error().message));
    REQUIRE(state);
    more = *state == Task::State::more;
    CHECK(task.progress().done >= before);
    CHECK(task.progress().done <= task.progress().total);
    before = task.progress().done;
  }
  CHECK(task.progress().done == task.progress().total);
  return steps;
}

bool same_bits(const Statistics& a, const Statistics& b) {
  return std::memcmp(&a.histogram.bins, &b.histogram.bins, sizeof a.histogram.bins) == 0 && a.summary.mean == b.summary.mean &&
         a.summary.std == b.summary.std && a.summary.mean_error == b.summary.mean_error && a.summary.nan == b.summary.nan;
}

TEST_CASE("in steps the statistics have the same bits as in one go, after a sample that says so", "[core][statistics]") {
  std::mt19937 random(5);
  std::normal_distribution<float> normal(1, 3);
  std::vector<float> memory(6'000'000);
  for (float& x : memory) x = normal(random);
  memory[4'321'987] = std::numeric_limits<float>::quiet_NaN();
  const DType dtype = *dtype_from_name("float32");
  const Layout dense = Layout::c_order({3000, 2000}, 32);
  for (const bool transposed : {false, true}) {
    const Layout layout = transposed ? Layout::from_byte_strides({2000, 3000}, {4, 8000}, 32) : dense;
    for (const unsigned threads : {1u, 3u}) {
      StatisticsTask task(values_of(dtype, layout, memory.data()), nullptr, own_memory(), threads);
      CHECK(task.progress().total == memory.size() * 4);
      CHECK(run(task) > 2);
      REQUIRE(task.sample());
      CHECK(task.sample()->summary.method == StatisticsMethod::sample);
      CHECK(task.sample()->summary.seen < memory.size());
      CHECK(std::abs(task.sample()->summary.mean - 1) < 0.1);
      REQUIRE(task.exact());
      StatisticsOptions options;
      options.histogram = true;
      options.threads = 1;
      TensorValues held = values_of(dtype, layout, memory.data());
      const auto at_once = exact_statistics(held, options);
      REQUIRE(at_once);
      CHECK(same_bits(*task.exact(), *at_once));
      CHECK(task.exact()->summary.nan == 1);
      const std::uint64_t at = 4'321'987;
      CHECK(task.exact()->summary.first_special.index == (transposed ? at % 2000 * 3000 + at / 2000 : at));
    }
  }
}

TEST_CASE("few values are answered exactly in one step, none at all too", "[core][statistics]") {
  const std::vector<std::int32_t> memory{5, -3, 0, 9};
  const DType dtype = *dtype_from_name("int32");
  for (const std::int64_t count : {0, 1, 4}) {
    const Layout layout = Layout::c_order({count}, 32);
    StatisticsTask task(values_of(dtype, layout, memory.data()), nullptr, own_memory());
    CHECK(run(task) == 1);
    CHECK_FALSE(task.sample());
    REQUIRE(task.exact());
    CHECK(task.exact()->summary.count == static_cast<std::uint64_t>(count));
  }
}

TEST_CASE("memory that goes away in the middle ends the task in words", "[core][statistics]") {
  constexpr std::size_t kBytes = std::size_t{64} << 20;
  void* const memory = ::mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  REQUIRE(memory != MAP_FAILED);
  const Layout layout = Layout::c_order({static_cast<std::int64_t>(kBytes / 8)}, 64);
  StatisticsTask task(values_of(*dtype_from_name("float64"), layout, memory), nullptr, own_memory(), 1);
  REQUIRE(task.step());
  REQUIRE(task.step());
  REQUIRE(::munmap(static_cast<std::byte*>(memory) + kBytes / 2, kBytes / 2) == 0);
  Result<Task::State> state = Task::State::more;
  while (state && *state == Task::State::more) state = task.step();
  REQUIRE_FALSE(state);
  CHECK(state.error().message.find("cannot be read") != std::string::npos);
  ::munmap(memory, kBytes / 2);
}

TEST_CASE("a survey answers for every tensor, also for those that cannot be read", "[core][statistics]") {
  std::vector<double> a(3'000'000, 2.0);
  a[17] = std::numeric_limits<double>::infinity();
  const std::vector<std::uint8_t> b{1, 2, 250};
  const Layout long_layout = Layout::c_order({3'000'000}, 64), short_layout = Layout::c_order({3}, 8);
  std::vector<SurveyItem> items{{7, values_of(*dtype_from_name("float64"), long_layout, a.data())},
                                {8, values_of(*dtype_from_name("uint8"), short_layout, b.data())},
                                {9, {*dtype_from_name("uint8"), short_layout, 16, {}}}};
  SurveyTask task(items, nullptr, own_memory());
  run(task);
  auto found = task.take(2);
  REQUIRE(found.size() == 2);
  CHECK(found[0].tensor == 7);
  CHECK(found[0].summary.pos_inf == 1);
  CHECK(found[0].summary.min.as_double() == 2.0);
  CHECK(found[1].summary.max.as_double() == 250);
  found = task.take(2);
  REQUIRE(found.size() == 1);
  CHECK(found[0].tensor == 9);
  CHECK(found[0].summary.method == StatisticsMethod::none);
  CHECK(task.take(2).empty());
}

}  // namespace
}  // namespace dlscope::core
