// HostConnection: the window's side of the host process. Passes events to the HostSession, sends the requests that follow, and
// hands out results. What the script prints goes into the output, messages into the notices.
// thread: UI; nothing blocks.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/host/input_watch.h"
#include "app/host/thread_watch.h"
#include "app/models/actions/notices.h"
#include "app/models/host/host_session.h"
#include "app/models/host/lease_list.h"
#include "app/models/host/session_event.h"
#include "app/models/host/session_reaction.h"
#include "app/models/script/output_model.h"
#include "app/models/script/script_model.h"
#include "app/window/host/device_questions.h"
#include "app/window/host/host_link.h"
#include "app/window/host/host_work.h"
#include "app/window/host/memory_readers.h"

namespace dlscope::app {

// A snapshot of the script's tensors, with what was so when it arrived.
struct ArrivedSnapshot {
  core::SnapshotPtr snapshot;
  core::Scanned scanned = core::Scanned::none;
  std::uint64_t stop = 0;     // the stop at which it was taken; 0: none
  std::uint64_t process = 0;  // as in Timeline
};

class HostConnection {
 public:
  // link may be null: no host, for pictures. wake_to_look: see ApplicationOptions.
  HostConnection(std::unique_ptr<HostLink> link, OutputModel& output, Notices& notices, TaskRunner& tasks,
                 std::function<void()> wake, std::function<void()> wake_to_look = {});

  // Handles the host's messages since the last call and sends what waits. True: something changed.
  bool update();
  // What a person asks for.
  void ask(SessionEvent event);
  void choose_python(const PythonChoice& python);
  // Whether the question of may_choose_python() is shown for this path: choosing it again is the answer. The question goes.
  [[nodiscard]] bool agreed_to_python(const std::string& path);
  // False, with a question as a notice, when choosing another Python would lose variables.
  [[nodiscard]] bool may_choose_python(const std::string& path);
  // Kills the process. Unless Stop was tried before, the first call only says in a notice what would be lost, and a second one
  // while that notice is shown kills.
  void kill(std::optional<std::size_t> tensors);  // tensors: how many are shown, for that message
  // Starts a new process in place of this one. Where that would lose variables or what runs, asks first, as kill() does.
  void restart();
  void send_input(const std::string& text);
  // Sends all breakpoints to this host, and again to each one started later.
  void set_breakpoints(core::wire::SetBreakpoints breakpoints);
  // `told` is called during update() with what the host says of the breakpoints, and with an empty message for each new host.
  void on_breakpoints(std::function<void(const core::wire::BreakpointsChanged&)> told) { breakpoints_sent_ = std::move(told); }
  void want(Question question) { session_.want(std::move(question)); }

  [[nodiscard]] HostWork& work() { return work_; }
  [[nodiscard]] const LeaseList& leases() const { return leases_; }

  [[nodiscard]] const HostSession& session() const { return session_; }
  void show(HostSession recorded) { session_ = std::move(recorded); }
  // Call before a whole script is run: its tensors are not compared with those of another script.
  void note_script(const ScriptModel& script);
  // The first run that may be compared with: earlier ones were of another script or another process.
  [[nodiscard]] std::uint64_t comparable_from() const;
  // on: while other threads of the process run, wake the window to look.
  void watch_threads(bool on);
  void forget_outcome() { session_.forget_outcome(); }
  void note_libraries(std::string message);
  [[nodiscard]] bool exists() const { return link_ != nullptr; }
  [[nodiscard]] std::int32_t pid() const { return pid_; }           // of the last host that answered; 0: none did

  // Readers of the script's process; empty when it has ended.
  [[nodiscard]] const MemoryReaders& memory() const { return memory_; }
  void read_memory_with(std::shared_ptr<core::MemoryReader> reader) { memory_.read_with(std::move(reader)); }

  // Those that arrived and were not taken yet, the newest last: each is a moment of its own. Of one scan there is only the last, and
  // of several reports of the script's own (dlscope.snapshot()) that follow one another, too.
  [[nodiscard]] std::vector<ArrivedSnapshot> take_snapshots() { return std::exchange(arrived_, {}); }
  [[nodiscard]] std::optional<PythonChoice> take_found_python() { return std::exchange(found_python_, std::nullopt); }

 private:
  // A new process would lose variables, or what runs.
  [[nodiscard]] bool would_lose() const {
    return session_.is_up() && session_.next_run() > session_.first_run_of_process();
  }
  void note_python(const PythonChoice& python);
  void apply(SessionEvent event);
  void carry_out(SessionReaction reaction);
  void take(LinkEvent& event);
  void take(HostEvent& event);
  void take(const HostSnapshot& scan);
  void begin_reading(std::int32_t pid);
  bool watch_input();
  [[nodiscard]] bool has_begun() const;
  bool watch_suspension();

  OutputModel& output_;
  Notices& notices_;
  std::function<void()> wake_, wake_to_look_;
  HostSession session_;
  MemoryReaders memory_;
  DeviceQuestions device_questions_;
  std::unique_ptr<InputWatch> input_watch_;
  std::unique_ptr<ThreadWatch> thread_watch_;
  std::uint64_t suspension_notice_ = 0;  // that somebody has stopped the process; 0: it goes on
  bool rested_when_suspended_ = false;   // it did nothing when that was noticed: a scan that it was asked for since has not begun
  std::uint64_t begun_run_ = 0;          // the last run that the host has said to have begun
  bool says_work_waits_ = false;         // so that notice
  ScriptIdentity last_script_;         // the one last run as a whole
  std::uint64_t first_of_script_ = 0;  // its first run
  std::vector<ArrivedSnapshot> arrived_;
  core::SnapshotPtr last_snapshot_;  // of the current process
  std::int32_t pid_ = 0;
  std::optional<PythonChoice> found_python_;
  core::wire::SetBreakpoints breakpoints_;
  std::function<void(const core::wire::BreakpointsChanged&)> breakpoints_sent_ = [](const auto&) {};
  std::unique_ptr<HostLink> link_;
  HostWork work_;
  LeaseList leases_;
};

}  // namespace dlscope::app
