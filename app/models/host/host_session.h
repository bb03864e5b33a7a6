// HostSession: the state of a host process: what it is doing, since when, which requests are not answered yet, and what may be
// asked now. A state machine without I/O, for the window and for headless runs: every change is an event, and apply() returns
// what has to be sent or shown because of it.
//
// The host handles runs, scans and acts one after the other, in the order they were sent. So an event about one of them also ends every
// earlier one, and a message that was lost or came twice cannot leave the session in a state forever. The host is not trusted:
// what it says of runs that were not asked for, or have ended, is ignored.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "app/models/host/host_state.h"
#include "app/models/host/questions.h"
#include "app/models/host/session_event_names.h"
#include "app/models/host/stop_view.h"
#include "app/models/script/script_model.h"
#include "app/models/tensors/tensor_state.h"
#include "core/inventory/run_outcome.h"

namespace dlscope::core::wire {
struct Run;
}

namespace dlscope::app {

struct SessionReaction;

class HostSession {
 public:
  using Clock = std::chrono::steady_clock;

  explicit HostSession(Clock::time_point now = Clock::now()) : now_(now), state_since_(now) {}
  // For a picture or a recording: nothing can be asked of it.
  [[nodiscard]] static HostSession recorded(std::string python, core::RunOutcome outcome);

  [[nodiscard]] SessionReaction apply(SessionEvent event, Clock::time_point now = Clock::now());
  // Call as time passes: a question that takes long can then be stopped.
  void advance(Clock::time_point now);

  // --- what it does
  [[nodiscard]] HostState state() const;
  [[nodiscard]] Clock::time_point state_since() const { return state_since_; }
  [[nodiscard]] const std::string& detail() const { return detail_; }  // why, when crashed, ended or failed
  // busy: a run or a scan is under way, or waits behind an act; code that stands at a stop is not busy, nor is a mere act.
  // alive: its process exists or is starting.
  [[nodiscard]] bool busy() const;
  [[nodiscard]] bool alive() const;
  // No user code is running: Python answers questions, at once or after the act that is under way.
  [[nodiscard]] bool python_rests() const;
  // The act under way, "Copying x"; "": none is. Also while it is being cancelled.
  [[nodiscard]] const std::string& act() const;
  [[nodiscard]] bool is_up() const { return process_ == Process::up || process_ == Process::ending; }  // it became ready
  [[nodiscard]] std::uint64_t current_run() const;                                                     // 0: none
  [[nodiscard]] std::optional<std::uint64_t> current_scan() const;
  // The script was told to go on, and does so when the scan of its stop is over.
  [[nodiscard]] bool finishes_scan_of_left_stop() const { return left_scans_ > 0; }
  [[nodiscard]] RunKind last_run_kind() const { return last_kind_; }
  [[nodiscard]] const core::RunOutcome& outcome() const { return outcome_; }   // of the last run
  void forget_outcome() { outcome_ = {}, outcome_run_ = 0; }                   // another script was opened
  // The same if it is of this run, by the number that its snapshot has (SnapshotInfo::run); else not_run.
  [[nodiscard]] core::RunOutcome outcome_of(std::uint64_t run) const;
  // The script that was in the editor when the last run was requested: a later one need not be the one of outcome().
  [[nodiscard]] const ScriptIdentity& script_of_run() const { return script_of_run_; }
  [[nodiscard]] std::uint64_t runs() const { return runs_; }                   // started so far
  [[nodiscard]] bool run_finished() const { return last_finished_run_ != 0; }  // at least one run has ended
  [[nodiscard]] bool process_gone() const { return gone_; }                    // not even the memory of a crashed process is left
  [[nodiscard]] unsigned stop_attempts() const { return stop_attempts_; }      // of what runs now
  // It was asked to pause and has not come to the next line of the user's code yet.
  [[nodiscard]] bool pausing() const { return paused_run_ != 0 && paused_run_ == current_run(); }
  [[nodiscard]] std::uint64_t next_run() const { return last_run_ + 1; }       // the number that the next one will get
  [[nodiscard]] std::uint64_t first_run_of_process() const { return first_run_; }
  [[nodiscard]] bool killed() const { return killed_; }                        // by us
  [[nodiscard]] bool waits_for_line() const { return waits_for_line_; }  // the script stands in input()
  [[nodiscard]] bool echoes() const { return echoes_; }                  // false: what is typed must not be shown
  // Somebody has stopped the process: "Python's process 4711 is stopped ...: kill -CONT 4711 lets it go on"; "": nobody has.
  // No state(): what it does then, and what may be asked of it, is as before once it goes on.
  [[nodiscard]] const std::string& suspension() const { return suspension_; }

  // --- at a stop
  // Where the script stands; null: it does not. Also set while a scan or a console line runs at the stop.
  [[nodiscard]] const StopView* stop() const { return stop_ ? &*stop_ : nullptr; }
  // The last stop of the run that goes on; null: there was none, or the script stands at one. What is shown of it is outdated.
  [[nodiscard]] const StopView* left_stop() const { return left_stop_ ? &*left_stop_ : nullptr; }

  // The frames of the exception that ended the script, kept until a script runs from its beginning; null: none. The run is over then.
  [[nodiscard]] const StopView* ended() const { return ended_ ? &*ended_ : nullptr; }
  // The run that ended() is of, by the number that its snapshot has (SnapshotInfo::run).
  [[nodiscard]] std::uint64_t ended_run() const { return ended_run_; }
  // stop() or ended(): the frames that console, completion and watches use; null: none.
  [[nodiscard]] const StopView* frames() const { return stop_ ? stop() : ended(); }

  // --- which Python
  [[nodiscard]] const std::string& python() const { return python_; }          // "Python 3.11.7 · .venv"; "" while unknown
  [[nodiscard]] const std::string& executable() const { return executable_; }  // full path, for the tooltip
  [[nodiscard]] const std::string& libraries() const { return libraries_; }    // "numpy 2.4  torch 2.13"; "" while unknown

  // --- what has happened to the tensors: the moment of a snapshot
  [[nodiscard]] const Timeline& timeline() const { return timeline_; }

  // --- what may be asked of it: nullptr, or why not and what would help
  [[nodiscard]] const char* run_refusal() const;
  [[nodiscard]] const char* console_refusal() const;  // for a line typed at the console; at a stop it runs there
  [[nodiscard]] const char* resume_refusal() const;   // continue, step
  [[nodiscard]] const char* run_to_refusal() const;   // run to a line: from a stop, or from the script's beginning
  [[nodiscard]] const char* pause_refusal() const;
  [[nodiscard]] const char* stop_refusal() const;
  [[nodiscard]] const char* scan_refusal() const;
  [[nodiscard]] const char* kill_refusal() const;
  [[nodiscard]] const char* restart_refusal() const;
  [[nodiscard]] bool can_run() const { return run_refusal() == nullptr; }
  [[nodiscard]] bool can_stop() const { return stop_refusal() == nullptr; }
  [[nodiscard]] bool can_kill() const { return kill_refusal() == nullptr; }
  [[nodiscard]] bool can_restart() const { return restart_refusal() == nullptr; }

  // --- questions about the user's objects
  [[nodiscard]] const Questions& questions() const { return questions_; }
  void want(Question question) { questions_.want(std::move(question)); }
  // Sends waiting questions, as far as Python takes them now. ask: returns 0 when the question was not taken.
  void put_questions(const std::function<std::uint64_t(const Question&)>& ask);
  void answer(const core::wire::Answer& answer) { questions_.answer(answer); }

 private:
  enum class Process : std::uint8_t { none, finding, starting, up, ending, crashed, ended, failed };
  enum class WorkKind : std::uint8_t { scan, run, act };
  // Sent to the host, or waiting for it to be ready; the first one is what it does now.
  struct Work {
    WorkKind kind_of_work = WorkKind::scan;
    std::uint64_t id = 0;  // of the run, the scan or the act
    bool scan_after = false, started = false;
    bool nested = false;  // runs in a frame: of a stop, whose run is behind it in work_, or of ended_
    RunKind kind = RunKind::script;
    std::string title = {};  // of an act

    [[nodiscard]] bool is_run() const { return kind_of_work == WorkKind::run; }
    [[nodiscard]] bool is_act() const { return kind_of_work == WorkKind::act; }
    // A run of its own: at a stop it is the one that stands there.
    [[nodiscard]] bool is_whole_run() const { return is_run() && !nested; }
  };

  void on(const session_event::StartAsked& event, SessionReaction& out);
  void on(session_event::RunAsked& event, SessionReaction& out);
  void on(const session_event::ScanAsked& event, SessionReaction& out);
  void on(const session_event::InterruptAsked& event, SessionReaction& out);
  void on(const session_event::KillAsked& event, SessionReaction& out);
  void on(const session_event::LeaveAsked& event, SessionReaction& out);
  void on(session_event::ResumeAsked& event, SessionReaction& out);
  void on(const session_event::PauseAsked& event, SessionReaction& out);
  void on(const session_event::FrameChosen& event, SessionReaction& out);
  void on(const session_event::ReleaseFramesAsked& event, SessionReaction& out);
  void on(const session_event::ResumeNotTaken& event, SessionReaction& out);
  void on(session_event::Stopped& event, SessionReaction& out);
  void on(const session_event::Resumed& event, SessionReaction& out);
  void on(const session_event::RequestNotTaken& event, SessionReaction& out);
  void on(session_event::PythonFound& event, SessionReaction& out);
  void on(session_event::LibrariesFound& event, SessionReaction& out);
  void on(session_event::StartFailed& event, SessionReaction& out);
  void on(const session_event::Ready& event, SessionReaction& out);
  void on(const session_event::Crashed& event, SessionReaction& out);
  void on(const session_event::Ended& event, SessionReaction& out);
  void on(const session_event::RunStarted& event, SessionReaction& out);
  void on(session_event::RunFinished& event, SessionReaction& out);
  void on(const session_event::ScanFinished& event, SessionReaction& out);
  void on(const session_event::SnapshotCame& event, SessionReaction& out);
  void on(const session_event::OtherCodeRan& event, SessionReaction& out);
  void on(session_event::ActSent& event, SessionReaction& out);
  void on(const session_event::ActEnded& event, SessionReaction& out);
  void on(const session_event::InputWatched& event, SessionReaction& out);
  void on(session_event::SuspensionWatched& event, SessionReaction& out);

  void run_in_frame(session_event::RunAsked& event, SessionReaction& out);
  void finish_nested(std::deque<Work>::iterator run, const session_event::RunFinished& event, SessionReaction& out);
  [[nodiscard]] StopView view_of(core::wire::Stopped stop);
  // Code counts as running from the moment it is requested. If the host does not take the request, take_back() undoes that.
  void send(core::wire::Run run, SessionReaction& out);
  void send(core::wire::Resume resume, SessionReaction& out);
  void take_back();
  // Nothing is done at the stop: the first work is the run that stands there.
  [[nodiscard]] bool paused_at_stop() const { return stop_ && !work_.empty() && work_.front().is_whole_run(); }
  [[nodiscard]] bool is_acting() const { return process_ == Process::up && !work_.empty() && work_.front().is_act(); }
  // Behind everything that was sent; at a stop also before the run that stands there.
  void add_work(Work work);
  void interrupt_act(SessionReaction& out);
  void leave_stop();
  void begin_start(bool search);
  void note_end(Process process, std::string why, SessionReaction& out);
  [[nodiscard]] std::deque<Work>::iterator find_work(WorkKind kind, std::uint64_t id);
  void finish_through(std::deque<Work>::iterator last);
  void finish_run(std::deque<Work>::iterator run);
  [[nodiscard]] bool question_hangs() const;
  [[nodiscard]] Questions::Python for_questions() const;

  Process process_ = Process::none;
  std::deque<Work> work_;
  std::shared_ptr<const core::wire::Run> waiting_run_;  // asked for before the host was ready; null: none
  std::size_t left_scans_ = 0;                  // of the stop that was left, and not over yet
  std::uint64_t last_run_ = 0, last_scan_ = 0;  // last numbers given out
  std::uint64_t first_run_ = 1;                 // of the present process, or the starting one
  std::uint64_t last_finished_run_ = 0, last_finished_nested_ = 0;
  RunKind last_kind_ = RunKind::script;
  std::string last_file_;  // file name in the code of the last run; "" for a console line
  ScriptIdentity script_of_run_;
  std::uint64_t runs_ = 0;
  unsigned stop_attempts_ = 0;
  std::uint64_t paused_run_ = 0;  // the run that was asked to pause and has not stopped since; 0: none
  std::optional<Clock::time_point> stopped_at_stop_;  // when Stop was last meant for what was evaluated at a stop
  bool killed_ = false, gone_ = false;
  std::optional<StopView> stop_, left_stop_, ended_;
  std::uint64_t ended_run_ = 0;
  std::uint64_t stop_revision_ = 0;  // the last one given out
  bool waits_for_line_ = false, echoes_ = true;
  Timeline timeline_;
  std::optional<Timeline> before_request_;  // before the run or resume that the last event sent; nullopt: it sent none
  core::RunOutcome outcome_;
  std::uint64_t outcome_run_ = 0;  // the run that outcome_ is of; 0: none
  std::string python_, executable_, libraries_, detail_, suspension_;
  Questions questions_;
  std::optional<Clock::time_point> question_since_;  // since when Python has a question
  Clock::time_point now_, state_since_;
};

}  // namespace dlscope::app
