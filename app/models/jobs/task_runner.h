// TaskRunner: starts the viewer's own long work and keeps the list of all long work up to date: how far it is, that somebody
// wants it cancelled, how it ended. Each task ends exactly once.
// thread: UI, but for the work itself.
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
#include "core/tasks/task.h"

namespace dlscope::app {

// What the work of a task says while it runs. thread: the task's own.
class TaskProgress {
 public:
  explicit TaskProgress(std::stop_token stop, std::function<void()> wake) : stop_(std::move(stop)), wake_(std::move(wake)) {}
  // False: somebody wants it cancelled. Cheap enough for every few thousand units.
  bool report(std::uint64_t done, std::uint64_t total);
  [[nodiscard]] bool cancelled() const { return stop_.stop_requested(); }

 private:
  friend class TaskRunner;
  std::stop_token stop_;
  std::function<void()> wake_;
  std::atomic<bool> started_{false};
  std::atomic<std::uint64_t> done_{0}, total_{0};
  std::atomic<std::int64_t> woken_at_{0};  // the window was woken for it, steady clock ticks
};

// Steps of a pure task until its end, for a Work; after_step: between them, and after the last one.
[[nodiscard]] core::Result<std::string> carry_out(core::Task& task, TaskProgress& progress, const std::function<void()>& after_step);

class TaskRunner {
 public:
  // What there is to know once it is done, or why it failed and what to do. It may also end because it was cancelled.
  using Work = std::function<core::Result<std::string>(TaskProgress&)>;
  // Called once, on the UI thread, with the entry as it ended.
  using Ended = std::function<void(const TaskEntry&)>;

  explicit TaskRunner(JobPool& jobs, std::function<void()> wake = {}) : jobs_(jobs), wake_(std::move(wake)) {}

  // One after the other, in the order they were started. Its number in the list.
  std::uint64_t start(std::string title, TaskUnit unit, Work work, Ended ended = {});
  // Work of somebody else, whose progress and end are told through list(): cancel() calls this.
  std::uint64_t follow(std::string title, TaskUnit unit, std::function<void()> cancel);
  void cancel(std::uint64_t id);

  // Once a frame. True: a number changed.
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
