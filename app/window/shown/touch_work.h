// TouchWork: counts how often the bytes of the selected tensor are reached, if it repeats or overlaps itself: at once where that
// takes a moment, otherwise as a task that ends when another tensor is selected. The answers are in a TouchCounts.
// thread: UI.
#pragma once

#include <cstdint>

#include "app/models/jobs/task_runner.h"
#include "app/models/layout/touch_counts.h"
#include "app/models/tensors/snapshot_index.h"

namespace dlscope::app {

class TouchWork {
 public:
  explicit TouchWork(TaskRunner& tasks) : tasks_(tasks) {}

  // Call once a frame. index: what is shown; null: nothing is.
  void follow(const IndexPtr& index, std::uint32_t selected);
  [[nodiscard]] const TouchCounts& counts() const { return counts_; }

 private:
  void count(const IndexPtr& index, std::uint32_t tensor);
  void leave_running();
  void end(std::uint64_t id, const TaskEntry& task, std::shared_ptr<const core::TouchCount> found);

  TaskRunner& tasks_;
  TouchCounts counts_;
  IndexPtr index_;  // what follow() was given last
  std::uint32_t selected_ = core::kNone32;
  std::uint64_t running_ = 0, task_ = 0;  // the count that runs, by its number there and in the list of tasks; 0: none
};

}  // namespace dlscope::app
