#include "app/models/jobs/job_pool.h"

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <atomic>
#include <latch>
#include <memory>
#include <new>
#include <string>
#include <thread>
#include <vector>

namespace dlscope::app {

TEST_CASE("results arrive on the thread that asks for them, in order", "[app][models]") {
  JobPool pool;
  std::vector<int> seen;
  const auto here = std::this_thread::get_id();
  for (int i = 0; i < 10; ++i) {
    pool.post(Lane::views, [&seen, here, i](const std::stop_token&) -> JobPool::Apply {
      return [&seen, here, i] {
        CHECK(std::this_thread::get_id() == here);
        seen.push_back(i);
      };
    });
  }
  pool.finish_all();
  CHECK(seen == std::vector<int>{0, 1, 2, 3, 4, 5, 6, 7, 8, 9});
  CHECK_FALSE(pool.busy());
}

TEST_CASE("a job that throws is told about, and the next one runs", "[app][models]") {
  std::vector<std::string> told;
  bool ran = false;
  JobPool pool({}, [&](const std::string& why) { told.push_back(why); });
  pool.post(Lane::views, [](const std::stop_token&) -> JobPool::Apply { throw std::bad_alloc(); });
  pool.post(Lane::views, [&](const std::stop_token&) -> JobPool::Apply { return [&] { ran = true; }; });
  pool.finish_all();
  CHECK(told == std::vector<std::string>{std::bad_alloc().what()});
  CHECK(ran);
}

TEST_CASE("where the system gives no thread, the one that waits for all jobs does them", "[app][models]") {
  const pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    alarm(20);
    const rlimit none{0, 0};
    const bool limited = (geteuid() != 0 || setuid(65534) == 0) && setrlimit(RLIMIT_NPROC, &none) == 0;  // root has no limit
    int done = 0;
    JobPool pool;
    pool.post(Lane::disk_tasks, [&](const std::stop_token&) -> JobPool::Apply { return [&] { done += 10; }; });
    pool.post(Lane::views, [&](const std::stop_token&) -> JobPool::Apply {
      return [&] {
        ++done;
        pool.post(Lane::views, [&](const std::stop_token&) -> JobPool::Apply { return [&] { ++done; }; });
      };
    });
    pool.finish_all();
    _exit(limited && done == 12 ? 0 : 1);
  }
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  CHECK((WIFEXITED(status) && WEXITSTATUS(status) == 0));
}

TEST_CASE("a newer job of the same kind replaces one that waits or runs", "[app][models]") {
  JobPool pool;
  std::latch started(1);
  std::vector<int> seen;
  pool.post(
      Lane::views,
      [&](const std::stop_token& stop) -> JobPool::Apply {
        started.count_down();
        while (!stop.stop_requested()) std::this_thread::yield();
        return [&] { seen.push_back(1); };
      },
      JobKey{JobKind::rows});
  started.wait();
  pool.post(
      Lane::views, [&](const std::stop_token&) -> JobPool::Apply { return [&] { seen.push_back(2); }; }, JobKey{JobKind::rows});
  pool.post(
      Lane::views, [&](const std::stop_token&) -> JobPool::Apply { return [&] { seen.push_back(3); }; }, JobKey{JobKind::rows});
  pool.finish_all();
  CHECK(seen.back() == 3);
  CHECK(std::ranges::find(seen, 1) == seen.end());
}

TEST_CASE("a pool that goes away stops what runs and wakes nobody", "[app][models]") {
  std::atomic<bool> stopped{false};
  std::latch started(1);
  {
    JobPool pool;
    pool.post(Lane::views, [&](const std::stop_token& stop) -> JobPool::Apply {
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
  JobPool pool([&] { ++wakes; });
  pool.post(Lane::views, [](const std::stop_token&) -> JobPool::Apply { return [] {}; });
  pool.finish_all();
  while (wakes == 0) std::this_thread::yield();
  CHECK(wakes == 1);
}

TEST_CASE("a result that was replaced before it was taken is not taken", "[app][models]") {
  JobPool pool;
  std::vector<int> seen;
  const auto see = [&](int number) {
    return [&seen, number](const std::stop_token&) -> JobPool::Apply { return [&seen, number] { seen.push_back(number); }; };
  };
  const JobKey values{JobKind::values, 3};
  pool.post(Lane::memory, see(1), values);
  pool.finish(Lane::memory);  // finished, not applied
  pool.post(Lane::memory, see(2), values);
  pool.post(Lane::memory, see(3), JobKey{JobKind::values, 4});  // about something else
  pool.finish_all();
  CHECK(seen == std::vector<int>{2, 3});
  pool.post(Lane::memory, see(4), values);
  pool.finish(Lane::memory);
  pool.cancel(values);
  pool.finish_all();
  CHECK(seen == std::vector<int>{2, 3});
}

TEST_CASE("what a replaced job or result holds is freed by a thread of the pool", "[app][models]") {
  std::atomic<int> freed = 0;
  std::atomic<bool> freed_here = false;
  const auto here = std::this_thread::get_id();
  const auto large = [&] {
    return std::shared_ptr<int>(new int(1), [&](const int* held) {
      delete held;
      freed_here = freed_here || std::this_thread::get_id() == here;
      ++freed;
    });
  };
  const JobKey rows{JobKind::rows};
  JobPool pool;
  std::latch go(1);
  pool.post(Lane::memory, [&](const std::stop_token&) -> JobPool::Apply {
    go.wait();
    return {};
  });
  pool.post(Lane::memory, [held = large()](const std::stop_token&) { return JobPool::Apply(); }, rows);
  pool.post(Lane::memory, [&](const std::stop_token&) -> JobPool::Apply { return [held = large()] {}; }, rows);
  go.count_down();
  pool.finish(Lane::memory);  // the second has a result by now
  pool.post(Lane::memory, [](const std::stop_token&) { return JobPool::Apply(); }, rows);
  pool.finish_all();
  while (freed < 2) std::this_thread::yield();
  CHECK_FALSE(freed_here);
}

TEST_CASE("a lane that is blocked holds up no other, and each lane keeps its order", "[app][models]") {
  JobPool pool;
  std::latch release(1);
  std::vector<int> seen;
  const auto see = [&](int number) {
    return [&seen, number](const std::stop_token&) -> JobPool::Apply { return [&seen, number] { seen.push_back(number); }; };
  };
  pool.post(Lane::files, [&](const std::stop_token&) -> JobPool::Apply {
    release.wait();
    return [&] { seen.push_back(0); };
  });
  pool.post(Lane::files, see(1));
  for (const Lane lane : {Lane::views, Lane::memory, Lane::search, Lane::tasks, Lane::interpreters}) {
    pool.post(lane, see(2));
    pool.finish(lane);
  }
  pool.apply_finished();
  CHECK(seen == std::vector<int>{2, 2, 2, 2, 2});
  release.count_down();
  pool.finish_all();
  CHECK(seen == std::vector<int>{2, 2, 2, 2, 2, 0, 1});
}

TEST_CASE("what can wait is done when nothing else of its lane waits", "[app][models]") {
  JobPool pool;
  std::latch release(1);
  std::vector<int> done;  // by the lane's one job at a time
  const auto job = [&](int number) {
    return [&done, number](const std::stop_token&) -> JobPool::Apply {
      done.push_back(number);
      return {};
    };
  };
  pool.post(Lane::views, [&](const std::stop_token&) -> JobPool::Apply {
    release.wait();
    return {};
  });
  pool.post(Lane::views, job(3), {}, JobPriority::later);
  pool.post(Lane::views, job(4), {}, JobPriority::later);
  pool.post(Lane::views, job(1));
  pool.post(Lane::views, job(2));
  release.count_down();
  pool.finish_all();
  CHECK(done == std::vector<int>{1, 2, 3, 4});
}

}  // namespace dlscope::app
