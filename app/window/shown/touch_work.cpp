#include "app/window/shown/touch_work.h"

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "app/models/jobs/budgets.h"

namespace dlscope::app {
namespace {

constexpr std::chrono::seconds kLong{1};  // shorter tasks leave the list when they end

}  // namespace

void TouchWork::follow(const IndexPtr& index, std::uint32_t selected) {
  if (index == index_ && selected == selected_) return;
  const bool newly_selected = selected != selected_;
  index_ = index;
  selected_ = selected;
  const bool counts = index && selected < index->size() && may_touch_again(index->tensor(selected));
  const TouchAnswer* const known = counts ? counts_.find(*index->snapshot, selected) : nullptr;
  if (known == nullptr || known->id != running_) leave_running();
  if (!counts) return;
  using Phase = TouchAnswer::Phase;
  const bool ended_early = known != nullptr && (known->phase == Phase::cancelled || known->phase == Phase::failed);
  if (known == nullptr || (ended_early && newly_selected)) count(index, selected);
}

void TouchWork::leave_running() {
  if (running_ == 0) return;
  counts_.drop(std::exchange(running_, 0));
  tasks_.cancel(std::exchange(task_, 0));
}

void TouchWork::count(const IndexPtr& index, std::uint32_t tensor) {
  const core::SnapshotPtr snapshot = index->snapshot;
  const core::TensorRecord& record = snapshot->tensors[tensor];
  const std::uint64_t id = counts_.begin(*snapshot, tensor);
  if (auto quick = core::count_touches(snapshot->memory_view(record), record.extent, kMostTouchedRuns, budget_per_click()))
    return counts_.end(id, TouchAnswer::Phase::done, std::make_shared<core::TouchCount>(std::move(*quick)));
  auto found = std::make_shared<std::shared_ptr<const core::TouchCount>>();  // written before the task ends
  running_ = id;
  task_ = tasks_.start(
      "Counting how often the bytes of " + std::string(snapshot->name(record)) + " are reached", TaskUnit::none,
      [snapshot, &record, found](TaskProgress& progress) -> core::Result<std::string> {
        core::OverlapBudget budget;
        budget.stop = progress.stop_token();
        auto counted = core::count_touches(snapshot->memory_view(record), record.extent, kMostTouchedRuns, budget);
        if (counted) *found = std::make_shared<const core::TouchCount>(std::move(*counted));
        if (!counted && progress.cancelled()) return core::fail(core::ErrorKind::cancelled, {});
        return counted ? std::string() : std::string("Not counted: it takes more work than is allowed.");
      },
      [this, id, found](const TaskEntry& ended) { end(id, ended, std::move(*found)); });
}

void TouchWork::end(std::uint64_t id, const TaskEntry& task, std::shared_ptr<const core::TouchCount> found) {
  using Phase = TouchAnswer::Phase;
  const bool was_left = id != running_;  // another tensor was selected: nobody cancelled it, so nothing is to be told
  if (!was_left) running_ = task_ = 0;
  Phase how = task.state == TaskState::cancelled ? Phase::cancelled : Phase::failed;
  if (task.state == TaskState::done) how = found ? Phase::done : Phase::over_budget;
  counts_.end(id, how, std::move(found), task.message);
  if (was_left || (how == Phase::done && task.ended - task.started < kLong)) tasks_.list().forget(task.id);
}

}  // namespace dlscope::app
