#include "app/models/jobs/worker.h"

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <atomic>
#include <latch>
#include <new>
#include <string>
#include <vector>

namespace dlscope::app {

TEST_CASE("results arrive on the thread that asks for them, in order", "[app][models]") {
  Worker worker;
  std::vector<int> seen;
  const auto here = std::this_thread::get_id();
  for (int i = 0; i < 10; ++i) {
    worker.post([&seen, here, i](const std::stop_token&) -> Worker::Apply {
      return [&seen, here, i] {
        CHECK(std::this_thread::get_id() == here);
        seen.push_back(i);
      };
    });
  }
  worker.finish_all();
  CHECK(seen == std::vector<int>{0, 1, 2, 3, 4, 5, 6, 7, 8, 9});
  CHECK_FALSE(worker.busy());
}

TEST_CASE("a job that throws is told about, and the next one runs", "[app][models]") {
  std::vector<std::string> told;
  bool ran = false;
  Worker worker({}, [&](const std::string& why) { told.push_back(why); });
  worker.post([](const std::stop_token&) -> Worker::Apply { throw std::bad_alloc(); });
  worker.post([&](const std::stop_token&) -> Worker::Apply { return [&] { ran = true; }; });
  worker.finish_all();
  CHECK(told == std::vector<std::string>{std::bad_alloc().what()});
  CHECK(ran);
}

TEST_CASE("a newer job of the same kind replaces one that waits or runs", "[app][models]") {
  Worker worker;
  std::latch started(1);
  std::vector<int> seen;
  worker.post(
      [&](const std::stop_token& stop) -> Worker::Apply {
        started.count_down();
        while (!stop.stop_requested()) std::this_thread::yield();
        return [&] { seen.push_back(1); };
      },
      7);
  started.wait();
  worker.post([&](const std::stop_token&) -> Worker::Apply { return [&] { seen.push_back(2); }; }, 7);
  worker.post([&](const std::stop_token&) -> Worker::Apply { return [&] { seen.push_back(3); }; }, 7);
  worker.finish_all();
  CHECK(seen.back() == 3);
  CHECK(std::ranges::find(seen, 1) == seen.end());
}

TEST_CASE("a worker that goes away stops what runs and wakes nobody", "[app][models]") {
  std::atomic<bool> stopped{false};
  std::latch started(1);
  {
    Worker worker;
    worker.post([&](const std::stop_token& stop) -> Worker::Apply {
      started.count_down();
      while (!stop.stop_requested()) std::this_thread::yield();
      stopped = true;
      return {};
    });
    started.wait();
  }
  CHECK(stopped);
}

TEST_CASE("the wake call comes when there is something to apply", "[app][models]") {
  std::atomic<int> wakes{0};
  Worker worker([&] { ++wakes; });
  worker.post([](const std::stop_token&) -> Worker::Apply { return [] {}; });
  worker.finish_all();
  while (wakes == 0) std::this_thread::yield();
  CHECK(wakes == 1);
}

}  // namespace dlscope::app
