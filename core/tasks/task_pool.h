// TaskPool: a few threads that run tasks step by step. Threads are started when there is work and end when there has been none for
// a while, so that a process that asks for nothing has no thread of ours.
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

// thread: a worker's; ended() may also come from the thread that calls cancel(), post(), resume() or the destructor. Called without a
// lock of the pool: it may post and cancel. A progressed() that is under way while the task is cancelled may return after ended().
class TaskObserver {
 public:
  virtual ~TaskObserver() = default;
  // Between two steps, at most every kProgressPeriod, and once before the end of a task that is done.
  virtual void progressed(std::uint64_t id, Task& task) = 0;
  // words: with failed, why. After a cancellation the task may still be in its last step: it must not be touched.
  virtual void ended(std::uint64_t id, Task& task, TaskEnd end, const std::string& message) = 0;
};

inline constexpr std::chrono::milliseconds kProgressPeriod{50};

enum class TaskPriority : std::uint8_t { background, normal, urgent };

struct TaskPoolOptions {
  unsigned threads = 2;                       // at most so many work at a time
  std::chrono::milliseconds idle_end{1000};   // a thread without work ends after this time
  std::function<void()> at_thread_start = {};  // in each new thread: its name, its signal mask
};

class TaskPool {
 public:
  // observer: outlives the pool.
  explicit TaskPool(TaskObserver& observer, TaskPoolOptions options = {});
  // Cancels everything and waits for the steps in progress; a step that does not end within a second (memory that never answers)
  // keeps its thread, which then touches nothing of the pool's owner any more.
  ~TaskPool();
  TaskPool(const TaskPool&) = delete;
  TaskPool& operator=(const TaskPool&) = delete;

  // thread: any. `id` must be new. Where the system gives no thread and none is running, the task ends as failed at once.
  void post(std::uint64_t id, std::unique_ptr<Task> task, TaskPriority priority = TaskPriority::normal);
  // thread: any. Ends a waiting or running task now, whatever its thread is doing; the thread counts no longer, so that others go
  // on even if its step never ends. False: there is no such task (any more).
  bool cancel(std::uint64_t id);
  // thread: any. Lets the steps in progress end and every thread leave; tasks wait until resume(). False: a thread did not leave
  // within `at_most`.
  [[nodiscard]] bool pause(std::chrono::milliseconds at_most);
  void resume();

  [[nodiscard]] std::size_t tasks() const;    // waiting or running
  [[nodiscard]] unsigned threads() const;     // that exist

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace dlscope::core
