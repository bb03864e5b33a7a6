#include "app/models/jobs/task_list.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "app/models/text/format.h"

namespace dlscope::app {
namespace {

using std::chrono::duration;

constexpr std::chrono::milliseconds kMeasureInterval{250};
constexpr std::chrono::milliseconds kWorthNaming{300};  // shorter work would be over before its title is read
constexpr double kNewestWeight = 0.4;                    // weight of the newest measure in the moving average

std::string amount(std::uint64_t number, TaskUnit unit) {
  return unit == TaskUnit::bytes ? human_bytes(number) : grouped(number);
}

std::string unit_word(TaskUnit unit) {
  switch (unit) {
    case TaskUnit::elements:
      return " elements";
    case TaskUnit::tensors:
      return " tensors";
    case TaskUnit::records:
      return " records";
    case TaskUnit::none:
    case TaskUnit::bytes:
      break;
  }
  return {};
}

std::string duration_text(std::chrono::seconds time) {
  const auto seconds = time.count();
  if (seconds < 90) return fmt::format("{} s", seconds);
  if (seconds < 90 * 60) return fmt::format("{} min", (seconds + 30) / 60);
  return fmt::format("{} h", (seconds + 1800) / 3600);
}

}  // namespace

std::optional<double> TaskEntry::part() const {
  if (total == 0) return std::nullopt;
  return std::min(1.0, static_cast<double>(done) / static_cast<double>(total));
}

std::optional<std::chrono::seconds> TaskEntry::time_left() const {
  if (state != TaskState::running || total == 0 || rate <= 0 || done > total) return std::nullopt;
  const double seconds = static_cast<double>(total - done) / rate;
  constexpr double kLongestEstimate = 100.0 * 3600;
  if (seconds > kLongestEstimate) return std::nullopt;
  return std::chrono::ceil<std::chrono::seconds>(duration<double>(seconds));
}

std::uint64_t TaskList::add(std::string title, TaskUnit unit, bool can_cancel, Clock::time_point now) {
  TaskEntry& task = tasks_.emplace_back();
  task.id = ++last_id_;
  task.title = std::move(title);
  task.unit = unit;
  task.can_cancel = can_cancel;
  task.started = task.measured_at = now;
  return task.id;
}

TaskEntry* TaskList::open_task(std::uint64_t id) {
  const auto found = std::ranges::find(tasks_, id, &TaskEntry::id);
  return found != tasks_.end() && found->is_open() ? &*found : nullptr;
}

void TaskList::progress(std::uint64_t id, std::uint64_t done, std::uint64_t total, Clock::time_point now) {
  TaskEntry* task = open_task(id);
  if (task == nullptr) return;
  if (std::exchange(task->state, TaskState::running) == TaskState::waiting) task->measured_at = now;
  task->done = done;
  task->total = total;
  const auto since = now - task->measured_at;
  if (since < kMeasureInterval || done < task->measured_done) return;
  const double measured = static_cast<double>(done - task->measured_done) / duration<double>(since).count();
  task->rate = task->rate == 0 ? measured : task->rate * (1 - kNewestWeight) + measured * kNewestWeight;
  task->measured_at = now;
  task->measured_done = done;
}

void TaskList::set_unit(std::uint64_t id, TaskUnit unit) {
  if (TaskEntry* task = open_task(id)) task->unit = unit;
}

void TaskList::note_cancel(std::uint64_t id) {
  if (TaskEntry* task = open_task(id)) task->cancel_asked = true;
}

void TaskList::end(std::uint64_t id, TaskState how, std::string message, Clock::time_point now) {
  TaskEntry* task = open_task(id);
  if (task == nullptr) return;
  task->state = how;
  task->message = std::move(message);
  task->ended = now;
  // The task that ended first is removed; never this one, whose entry the caller may want to read.
  const auto end_of = [&](const TaskEntry& each) {
    return each.is_open() || each.id == id ? Clock::time_point::max() : each.ended;
  };
  const auto ended = std::ranges::count_if(tasks_, [](const TaskEntry& each) { return !each.is_open(); });
  if (static_cast<std::size_t>(ended) > kMaxEnded) tasks_.erase(std::ranges::min_element(tasks_, {}, end_of));
}

void TaskList::clear_ended() {
  std::erase_if(tasks_, [](const TaskEntry& task) { return !task.is_open(); });
}

void TaskList::forget(std::uint64_t id) {
  std::erase_if(tasks_, [&](const TaskEntry& task) { return task.id == id && !task.is_open(); });
}

const TaskEntry* TaskList::find(std::uint64_t id) const {
  const auto found = std::ranges::find(tasks_, id, &TaskEntry::id);
  return found == tasks_.end() ? nullptr : &*found;
}

std::size_t TaskList::open_count() const {
  return static_cast<std::size_t>(std::ranges::count_if(tasks_, [](const TaskEntry& task) { return task.is_open(); }));
}

const TaskEntry* TaskList::shown(Clock::time_point now) const {
  const auto found =
      std::ranges::find_if(tasks_, [&](const TaskEntry& task) { return task.is_open() && now - task.started >= kWorthNaming; });
  return found == tasks_.end() ? nullptr : &*found;
}

std::string progress_text(const TaskEntry& task) {
  if (task.state == TaskState::waiting) return "waits";
  if (task.done == 0 && task.total == 0) return {};
  std::string text = amount(task.done, task.unit);
  if (task.total > 0 && task.done != task.total) text += " of " + amount(task.total, task.unit);
  text += unit_word(task.unit);
  if (task.state != TaskState::running) return text;
  if (task.rate > 0 && task.unit != TaskUnit::none)
    text += fmt::format(", {}/s", amount(static_cast<std::uint64_t>(task.rate), task.unit));
  if (const auto left = task.time_left()) text += fmt::format(", {} left", duration_text(*left));
  return text;
}

const char* task_state_word(TaskState state) {
  switch (state) {
    case TaskState::waiting:
      return "waits";
    case TaskState::running:
      return "running";
    case TaskState::done:
      return "done";
    case TaskState::failed:
      return "failed";
    case TaskState::cancelled:
      return "cancelled";
  }
  return "";
}

}  // namespace dlscope::app
