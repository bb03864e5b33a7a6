#include "core/tasks/task_pool.h"

#include <pthread.h>

#include <atomic>
#include <catch2/catch_test_macros.hpp>
#include <condition_variable>
#include <functional>
#include <map>
#include <mutex>
#include <new>
#include <optional>
#include <semaphore>
#include <stdexcept>
#include <thread>
#include <vector>

namespace dlscope::core {
namespace {

using namespace std::chrono_literals;

// What became of every task, and how often it was told.
class Ends final : public TaskObserver {
 public:
  void progressed(std::uint64_t id, Task& task) override {
    ++progress;
    if (at_progress) at_progress();
    const std::lock_guard lock(mutex_);
    progress_[id] = task.progress().done;
  }
  void ended(std::uint64_t id, Task&, TaskEnd end, const std::string& message) override {
    if (at_end) at_end(end);
    const std::lock_guard lock(mutex_);
    ends_[id].push_back(end);
    message_[id] = message;
    changed_.notify_all();
  }
  std::vector<TaskEnd> wait_for(std::uint64_t id) {
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, 30s, [&] { return ends_.contains(id); });
    return ends_[id];
  }
  std::size_t count() {
    const std::lock_guard lock(mutex_);
    return ends_.size();
  }
  bool each_once() {
    const std::lock_guard lock(mutex_);
    for (const auto& [id, ends] : ends_) {
      if (ends.size() != 1) return false;
    }
    return true;
  }
  // How far it was when that was last told; nullopt: never.
  std::optional<std::uint64_t> last_progress(std::uint64_t id) {
    const std::lock_guard lock(mutex_);
    return progress_.contains(id) ? std::optional(progress_[id]) : std::nullopt;
  }
  std::string message(std::uint64_t id) {
    const std::lock_guard lock(mutex_);
    return message_[id];
  }
  std::atomic<int> progress{0};
  std::function<void()> at_progress;  // both are set before the first task, and may throw
  std::function<void(TaskEnd)> at_end;

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<std::uint64_t, std::vector<TaskEnd>> ends_;
  std::map<std::uint64_t, std::string> message_;
  std::map<std::uint64_t, std::uint64_t> progress_;
};

std::atomic<int> live_tasks{0};

class Counting final : public Task {
 public:
  explicit Counting(std::uint64_t steps, std::function<void()> each = {}) : total_(steps), each_(std::move(each)) {
    ++live_tasks;
  }
  ~Counting() override { --live_tasks; }
  Result<State> step() override {
    if (each_) each_();
    return ++done_ >= total_ ? State::done : State::more;
  }
  TaskProgress progress() const override { return {done_, total_}; }

 private:
  std::uint64_t done_ = 0, total_;
  std::function<void()> each_;
};

// Finds something in each step, and fails in the last one.
class Failing final : public Task {
 public:
  explicit Failing(std::uint64_t steps) : left_(steps) {}
  Result<State> step() override {
    ++found_;
    if (--left_ == 0) return fail(ErrorKind::environment, "the rest cannot be read");
    return State::more;
  }
  TaskProgress progress() const override { return {found_, 0}; }

 private:
  std::uint64_t found_ = 0, left_;
};

constexpr std::uint64_t kForEver = ~std::uint64_t{0};
std::unique_ptr<Task> endless() {
  return std::make_unique<Counting>(kForEver, [] { std::this_thread::sleep_for(1ms); });
}

TEST_CASE("tasks end once, as done, failed in words, or cancelled", "[core][tasks]") {
  Ends ends;
  TaskPool pool(ends);
  pool.post(1, std::make_unique<Counting>(3));
  pool.post(2, std::make_unique<Counting>(1, [] { throw std::runtime_error("no such page"); }));
  pool.post(3, std::make_unique<Counting>(1, [] { throw std::bad_alloc(); }));
  pool.post(4, endless());
  CHECK(ends.wait_for(1) == std::vector{TaskEnd::done});
  CHECK(ends.wait_for(2) == std::vector{TaskEnd::failed});
  CHECK(ends.message(2) == "no such page");
  CHECK(ends.wait_for(3) == std::vector{TaskEnd::failed});
  CHECK(ends.message(3).find("memory") != std::string::npos);
  CHECK(pool.cancel(4));
  CHECK(ends.wait_for(4) == std::vector{TaskEnd::cancelled});
  CHECK_FALSE(pool.cancel(4));
  CHECK_FALSE(pool.cancel(1));
  CHECK(ends.each_once());
}

TEST_CASE("what a task had found is asked for before it is told to have failed", "[core][tasks]") {
  Ends ends;
  TaskPool pool(ends);
  pool.post(1, std::make_unique<Failing>(1));
  pool.post(2, std::make_unique<Failing>(3));
  pool.post(3, std::make_unique<Counting>(1, [] { throw std::bad_alloc(); }));
  for (const std::uint64_t id : {1, 2}) {
    CHECK(ends.wait_for(id) == std::vector{TaskEnd::failed});
    CHECK(ends.message(id) == "the rest cannot be read");
  }
  CHECK(ends.last_progress(1) == 1);
  CHECK(ends.last_progress(2) == 3);
  CHECK(ends.wait_for(3) == std::vector{TaskEnd::failed});
  CHECK_FALSE(ends.last_progress(3));  // nobody knows what state it is in
}

TEST_CASE("an observer that has no memory for what a task found ends the task in words, and not the process", "[core][tasks]") {
  Ends ends;
  ends.at_progress = [] { throw std::bad_alloc(); };
  TaskPool pool(ends);
  pool.post(1, std::make_unique<Counting>(1));  // in the progress before the end
  pool.post(2, endless());                      // in the first one
  for (const std::uint64_t id : {1, 2}) {
    CHECK(ends.wait_for(id) == std::vector{TaskEnd::failed});
    CHECK(ends.message(id) == "there is not enough memory for it");
  }
  CHECK(ends.each_once());
  CHECK(pool.tasks() == 0);
}

TEST_CASE("an end that there is no memory to tell of is told in a few words instead", "[core][tasks]") {
  Ends ends;
  std::atomic<int> refused{0};
  ends.at_end = [&](TaskEnd end) {
    if (end == TaskEnd::done || ++refused % 3 != 0) throw std::bad_alloc();
  };
  TaskPool pool(ends, {.threads = 2, .at_thread_start = [] { throw std::bad_alloc(); }});
  pool.post(1, std::make_unique<Counting>(1));
  CHECK(ends.wait_for(1) == std::vector{TaskEnd::failed});  // its result was never told
  CHECK(ends.message(1) == "there is not enough memory for it");
  pool.post(2, endless());
  CHECK(pool.cancel(2));
  CHECK(ends.wait_for(2) == std::vector{TaskEnd::cancelled});
  CHECK(ends.each_once());
}

TEST_CASE("cancelling ends a task at once, even while its step hangs, and others go on", "[core][tasks]") {
  Ends ends;
  std::counting_semaphore<8> hanging(0), released(0);
  {
    TaskPool pool(ends, {.threads = 2});
    for (const std::uint64_t id : {1, 2}) {
      pool.post(id, std::make_unique<Counting>(kForEver, [&] {
        hanging.release();
        released.acquire();
      }));
    }
    hanging.acquire();
    hanging.acquire();  // both threads stand in a step that does not end
    pool.post(3, std::make_unique<Counting>(3));
    CHECK(pool.cancel(1));
    CHECK(ends.wait_for(1) == std::vector{TaskEnd::cancelled});
    CHECK(ends.wait_for(3) == std::vector{TaskEnd::done});
    released.release(2);
  }
  CHECK(ends.wait_for(2) == std::vector{TaskEnd::cancelled});  // by the pool's end
  CHECK(ends.each_once());
}

TEST_CASE("tasks for which no thread can be started after a cancellation end in words, and do not wait for ever", "[core][tasks]") {
  Ends ends;
  std::counting_semaphore<8> hanging(0), released(0);
  TaskPool pool(ends, {.threads = 1});
  pool.post(1, std::make_unique<Counting>(kForEver, [&] {
    hanging.release();
    released.acquire();
  }));
  hanging.acquire();
  pool.post(2, std::make_unique<Counting>(3));
  pthread_attr_t usual, too_large;  // no thread can be given such a stack
  REQUIRE(pthread_getattr_default_np(&usual) == 0);
  REQUIRE(pthread_getattr_default_np(&too_large) == 0);
  REQUIRE(pthread_attr_setstacksize(&too_large, std::size_t{1} << 47) == 0);
  REQUIRE(pthread_setattr_default_np(&too_large) == 0);
  CHECK(pool.cancel(1));
  REQUIRE(pthread_setattr_default_np(&usual) == 0);
  CHECK(ends.wait_for(2) == std::vector{TaskEnd::failed});
  CHECK(ends.message(2).find("thread") != std::string::npos);
  CHECK(pool.tasks() == 0);
  released.release();
  pool.post(3, std::make_unique<Counting>(3));
  CHECK(ends.wait_for(3) == std::vector{TaskEnd::done});
}

TEST_CASE("every task has its turn, whatever the number of threads", "[core][tasks]") {
  Ends ends;
  TaskPool pool(ends, {.threads = 1});
  pool.post(1, endless());
  pool.post(2, std::make_unique<Counting>(3));
  CHECK(ends.wait_for(2) == std::vector{TaskEnd::done});
  pool.post(3, endless(), TaskPriority::background);
  pool.post(4, std::make_unique<Counting>(3), TaskPriority::urgent);
  CHECK(ends.wait_for(4) == std::vector{TaskEnd::done});
  CHECK(pool.cancel(1));
  CHECK(pool.cancel(3));
}

TEST_CASE("a pause takes every thread away and loses no task", "[core][tasks]") {
  Ends ends;
  TaskPool pool(ends);
  std::atomic<int> steps{0};
  pool.post(1, std::make_unique<Counting>(kForEver, [&] {
    ++steps;
    std::this_thread::sleep_for(1ms);
  }));
  pool.post(2, endless());
  while (steps < 3) std::this_thread::sleep_for(1ms);
  REQUIRE(pool.pause(10s));
  CHECK(pool.threads() == 0);
  CHECK(pool.tasks() == 2);
  const int before = steps;
  pool.post(3, std::make_unique<Counting>(2));  // waits
  CHECK(pool.threads() == 0);
  CHECK(steps == before);
  pool.resume();
  CHECK(ends.wait_for(3) == std::vector{TaskEnd::done});
  while (steps == before) std::this_thread::sleep_for(1ms);
  CHECK(pool.cancel(1));
  CHECK(pool.cancel(2));
}

TEST_CASE("threads go when there is no work", "[core][tasks]") {
  Ends ends;
  TaskPool pool(ends, {.threads = 2, .idle_end = 1ms});
  CHECK(pool.threads() == 0);
  pool.post(1, std::make_unique<Counting>(1));
  CHECK(ends.wait_for(1) == std::vector{TaskEnd::done});
  for (int i = 0; i < 10'000 && pool.threads() > 0; ++i) std::this_thread::sleep_for(1ms);
  CHECK(pool.threads() == 0);
}

TEST_CASE("1e5 tasks leave nothing behind, cancelled in the middle or not", "[core][tasks]") {
  constexpr std::uint64_t kTasks = 100'000;
  {
    Ends ends;
    TaskPool pool(ends, {.threads = 2});
    for (std::uint64_t id = 1; id <= kTasks; ++id) {
      pool.post(id, std::make_unique<Counting>(1 + id % 3));
      if (id % 5 == 0) pool.cancel(id - id % 7);
      while (pool.tasks() > 1000) std::this_thread::sleep_for(100us);
    }
    for (int i = 0; i < 10'000 && ends.count() < kTasks; ++i)
      std::this_thread::sleep_for(1ms);  // told of after they left the pool
    CHECK(pool.tasks() == 0);
    CHECK(ends.count() == kTasks);
    CHECK(ends.each_once());
    // Those that were given up leave after their step.
    for (int i = 0; i < 10'000 && pool.threads() > 2; ++i) std::this_thread::sleep_for(1ms);
    CHECK(pool.threads() <= 2);
  }
  CHECK(live_tasks == 0);
}

}  // namespace
}  // namespace dlscope::core
