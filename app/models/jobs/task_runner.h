// TaskRunner: runs the viewer's own tasks and keeps the list of all long work up to date: progress, cancelling, outcome. Each
// task ends exactly once.
// thread: UI, except for the work itself.
#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <stop_token>
#include <string>

#include "app/models/jobs/job_pool.h"
#include "app/models/jobs/task_list.h"
#include "core/base/result.h"

namespace dlscope::app {

// Progress of a running task. thread: the task's own.
class TaskProgress {
 public:
  explicit TaskProgress(std::stop_token stop, std::function<void()> wake) : stop_(std::move(stop)), wake_(std::move(wake)) {}
  // False: the task was cancelled. Cheap enough to call every few thousand units.
  bool report(std::uint64_t done, std::uint64_t total);
  [[nodiscard]] bool cancelled() const { return stop_.stop_requested(); }
  [[nodiscard]] const std::stop_token& stop_token() const { return stop_; }  // for work that takes one

 private:
  friend class TaskRunner;
  std::stop_token stop_;
  std::function<void()> wake_;
  std::atomic<bool> started_{false};
  std::atomic<std::uint64_t> done_{0}, total_{0};
  std::atomic<std::int64_t> woken_at_{0};  // when it last woke the window, steady clock ticks
};

class TaskRunner {
 public:
  // Returns the message of a done task; fails with why and what to do, or with ErrorKind::cancelled.
  using Work = std::function<core::Result<std::string>(TaskProgress&)>;
  // Called once, on the UI thread, with the final entry.
  using Ended = std::function<void(const TaskEntry&)>;

  explicit TaskRunner(JobPool& jobs, std::function<void()> wake = {}) : jobs_(jobs), wake_(std::move(wake)) {}

  // Tasks of one lane run one after the other, in the order they were started. Returns the task's id in the list.
  std::uint64_t start(std::string title, TaskUnit unit, Work work, Ended ended = {}, Lane lane = Lane::tasks);
  // Lists work done elsewhere, whose progress and end are reported through list(). cancel() calls `cancel`; empty: it cannot be
  // cancelled.
  std::uint64_t follow(std::string title, TaskUnit unit, std::function<void()> cancel);
  void cancel(std::uint64_t id);

  // Call once a frame. True: the progress of a task has changed.
  bool update(TaskList::Clock::time_point now = TaskList::Clock::now());
  [[nodiscard]] const TaskList& list() const { return list_; }
  [[nodiscard]] TaskList& list() { return list_; }

 private:
  struct Own {
    std::shared_ptr<TaskProgress> progress;
    std::stop_source stop;
    Ended ended;
  };
  void end(std::uint64_t id, const core::Result<std::string>& result);

  JobPool& jobs_;
  std::function<void()> wake_;
  TaskList list_;
  std::map<std::uint64_t, Own> own_;
  std::map<std::uint64_t, std::function<void()>> followed_;
};

}  // namespace dlscope::app
