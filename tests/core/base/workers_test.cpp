#include "core/base/workers.h"

#include <atomic>
#include <catch2/catch_test_macros.hpp>
#include <new>

namespace dlscope::core {

TEST_CASE("what a worker throws is thrown again when all have ended", "[core][base]") {
  for (const std::size_t thrower : {0U, 2U}) {
    std::atomic<int> ended = 0;
    const auto work = [&](std::size_t number) {
      if (number == thrower) throw std::bad_alloc();
      ++ended;
    };
    CHECK_THROWS_AS(run_workers(3, work), std::bad_alloc);
    CHECK(ended == 2);
  }
}

TEST_CASE("as many threads as are of use: never more than parts, and those that were asked for", "[core][base]") {
  CHECK(useful_threads(0, 0) == 1);
  CHECK(useful_threads(0, 3) == 1);
  CHECK(useful_threads(0, 1'000'000) >= 1);
  CHECK(useful_threads(0, 1'000'000) <= 8);
  CHECK(useful_threads(3, 2) == 2);
  CHECK(useful_threads(3, 1'000'000) == 3);
}

}  // namespace dlscope::core
