// TaskList: the long work of the window and of the host, as the Tasks panel and the status bar show it: state, progress, rate,
// time left, outcome. It starts and stops nothing.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>

namespace dlscope::app {

enum class TaskState : std::uint8_t { waiting, running, done, failed, cancelled };
enum class TaskUnit : std::uint8_t { none, bytes, elements, tensors, records };

struct TaskEntry {
  using Clock = std::chrono::steady_clock;

  std::uint64_t id = 0;
  std::string title;  // "Saving the report as dlscope-report-….json"
  TaskState state = TaskState::waiting;
  TaskUnit unit = TaskUnit::none;
  std::uint64_t done = 0, total = 0;  // total 0: unknown
  bool can_cancel = true;
  bool cancel_asked = false;
  std::string message;  // failed: why and what to do; done: a result to show, or ""
  Clock::time_point started, ended;
  double rate = 0;  // units per second, a moving average; 0: unknown

  [[nodiscard]] bool is_open() const { return state == TaskState::waiting || state == TaskState::running; }
  [[nodiscard]] std::optional<double> part() const;  // 0 to 1; nullopt: unknown
  [[nodiscard]] std::optional<std::chrono::seconds> time_left() const;

 private:
  friend class TaskList;
  Clock::time_point measured_at;  // when the rate was last computed
  std::uint64_t measured_done = 0;
};

class TaskList {
 public:
  using Clock = TaskEntry::Clock;
  static constexpr std::size_t kMaxEnded = 50;  // ended tasks that are kept; older ones are removed

  // Returns its id for the functions below. Ids rise and are never used again.
  std::uint64_t add(std::string title, TaskUnit unit, bool can_cancel, Clock::time_point now);
  // All functions below ignore an id that is unknown or whose task has ended.
  void progress(std::uint64_t id, std::uint64_t done, std::uint64_t total, Clock::time_point now);
  void set_unit(std::uint64_t id, TaskUnit unit);
  void note_cancel(std::uint64_t id);
  void end(std::uint64_t id, TaskState how, std::string message, Clock::time_point now);
  // Removes all tasks that have ended.
  void clear_ended();
  // Removes one that has ended and needs no entry.
  void forget(std::uint64_t id);

  [[nodiscard]] const std::deque<TaskEntry>& all() const { return tasks_; }  // oldest first
  [[nodiscard]] const TaskEntry* find(std::uint64_t id) const;
  [[nodiscard]] std::size_t open_count() const;
  // For the status bar: the oldest open task that takes longer than a moment; null: none.
  [[nodiscard]] const TaskEntry* shown(Clock::time_point now) const;

 private:
  TaskEntry* open_task(std::uint64_t id);
  std::deque<TaskEntry> tasks_;
  std::uint64_t last_id_ = 0;
};

// "1.2 of 4.0 GiB, 3.1 GiB/s, 2 s left", "120,000 of 1,000,000 tensors"; "" where nothing is known.
[[nodiscard]] std::string progress_text(const TaskEntry& task);
[[nodiscard]] const char* task_state_word(TaskState state);

}  // namespace dlscope::app
