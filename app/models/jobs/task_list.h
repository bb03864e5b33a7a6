// TaskList: the long work of the window and of the host, as the Tasks panel and the status bar show it: what runs, how far, how
// fast, how long it may take, and how it ended. It starts and stops nothing.
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
  std::uint64_t done = 0, total = 0;  // total 0: not known
  bool can_cancel = true;
  bool cancel_asked = false;
  std::string message;  // failed: why and what to do; done: what there is to know
  Clock::time_point started, ended;
  double rate = 0;  // units per second, of late; 0: not known yet

  [[nodiscard]] bool is_open() const { return state == TaskState::waiting || state == TaskState::running; }
  [[nodiscard]] std::optional<double> part() const;  // 0 to 1
  [[nodiscard]] std::optional<std::chrono::seconds> time_left() const;

 private:
  friend class TaskList;
  Clock::time_point measured_at;  // when the rate was last worked out
  std::uint64_t measured_done = 0;
};

class TaskList {
 public:
  using Clock = TaskEntry::Clock;
  static constexpr std::size_t kMostEnded = 50;  // older ones leave

  // Its number, for everything below. Numbers rise and are never used again.
  std::uint64_t add(std::string title, TaskUnit unit, bool can_cancel, Clock::time_point now);
  // Of a task that is not open, or was never added: ignored, as everything below.
  void progress(std::uint64_t id, std::uint64_t done, std::uint64_t total, Clock::time_point now);
  void set_unit(std::uint64_t id, TaskUnit unit);
  void note_cancel(std::uint64_t id);
  void end(std::uint64_t id, TaskState how, std::string message, Clock::time_point now);
  // Those that ended leave.
  void clear_ended();
  // One that ended leaves: nobody will ask what became of it.
  void forget(std::uint64_t id);

  [[nodiscard]] const std::deque<TaskEntry>& all() const { return tasks_; }  // oldest first
  [[nodiscard]] const TaskEntry* find(std::uint64_t id) const;
  [[nodiscard]] std::size_t open_count() const;
  // What the status bar names: of the open ones that take longer than a moment, the oldest; null: none.
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
