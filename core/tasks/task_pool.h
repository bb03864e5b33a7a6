// TaskPool: a few threads that run tasks step by step. Threads are started when there is work and end after being idle for a
// while, so that a process without tasks has none of our threads.
// Every posted task ends exactly once, through TaskObserver::ended: done, failed, or cancelled.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "core/tasks/task.h"

namespace dlscope::core {

enum class TaskEnd : std::uint8_t { done, failed, cancelled };

// thread: a worker of the pool; ended() is also called by the thread that is in cancel(),
// post(), resume() or the destructor. No lock of the pool is held, so the observer may post
// and cancel. A progressed() in progress during a cancellation may return after ended().
// Both may throw, as a rule for want of memory: it ends the task, not the process.
class TaskObserver {
 public:
  virtual ~TaskObserver() = default;
  // Between two steps, at most once per kProgressPeriod; and once before the end of a task whose last step returned, also with an
  // error: what it had found by then counts. If it throws, the task ends as failed, with the words of the exception.
  virtual void progressed(std::uint64_t id, Task& task) = 0;
  // message: the error if the task failed, else "". With cancelled, the task may still be in its last step: do not touch it.
  // If it throws, nobody must have been told: it is called again for up to a second, as failed for want of memory or as cancelled.
  virtual void ended(std::uint64_t id, Task& task, TaskEnd end, const std::string& message) = 0;
};

inline constexpr std::chrono::milliseconds kProgressPeriod{50};

enum class TaskPriority : std::uint8_t { background, normal, urgent };

struct TaskPoolOptions {
  unsigned threads = 2;                       // the most that work at the same time
  std::chrono::milliseconds idle_end{1000};   // a thread without work ends after this time
  std::function<void()> at_thread_start = {};  // called in each new thread, to set its name and signal mask
};

class TaskPool {
 public:
  // observer: outlives the pool.
  explicit TaskPool(TaskObserver& observer, TaskPoolOptions options = {});
  // Cancels everything and waits up to a second for the steps in progress. A step that takes longer (a read that hangs) keeps its
  // thread, which then no longer touches the observer.
  ~TaskPool();
  TaskPool(const TaskPool&) = delete;
  TaskPool& operator=(const TaskPool&) = delete;

  // thread: any. `id` must be new. When no thread is running and the
  // system refuses to start one, the task ends as failed at once.
  void post(std::uint64_t id, std::unique_ptr<Task> task, TaskPriority priority = TaskPriority::normal);
  // thread: any. Ends a waiting or running task at once, without waiting for its step.
  // The thread of that step no longer counts as one of TaskPoolOptions::threads, so that
  // other tasks run even if the step never ends; where no thread can be started for them, they end as failed. False: there is
  // no such task (any more).
  bool cancel(std::uint64_t id);
  // thread: any. Blocks until the steps in progress have ended and every thread has exited; tasks wait until resume(). False: a
  // thread was still there after `at_most`.
  [[nodiscard]] bool pause(std::chrono::milliseconds at_most);
  void resume();

  [[nodiscard]] std::size_t tasks() const;    // waiting or running
  [[nodiscard]] unsigned threads() const;     // existing ones, abandoned ones included

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace dlscope::core
