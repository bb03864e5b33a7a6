#include "app/models/host/host_session.h"

#include <fmt/format.h>

#include <algorithm>
#include <csignal>
#include <cstring>
#include <utility>

#include "app/models/host/outcome_sentence.h"
#include "app/models/host/session_event.h"
#include "app/models/host/session_reaction.h"
#include "app/models/host/stop_text.h"
#include "app/models/script/crash_stack.h"
#include "core/wire/script_file.h"

namespace dlscope::app {
namespace {

constexpr std::chrono::milliseconds kQuestionHangs{300};  // most answers come within a frame or two
constexpr std::chrono::milliseconds kSecondClick{800};    // a click this soon after another is part of a double click

std::string signal_text(int signal) {
  const char* name = ::sigabbrev_np(signal);
  return name != nullptr ? fmt::format("SIG{}", name) : fmt::format("signal {}", signal);
}

bool fits_a_message(const core::wire::Run& run) {
  constexpr std::size_t kSurely = core::wire::kMaxMessageBytes / 2;
  if (run.source.value_or("").size() < kSurely && run.arguments.empty()) return true;
  return core::wire::encode(core::wire::ToHost(run)).payload.size() <= core::wire::kMaxMessageBytes;
}

constexpr const char* kTooLong =
    "This text is longer than 4 MiB, the most that can be run unsaved. Save it: a saved script is run from its file, whatever "
    "its length.";
constexpr const char* kPartTooLong =
    "This is longer than 4 MiB, the most that can be run in parts. Run the whole script instead.";

}  // namespace

HostSession HostSession::recorded(std::string python, core::RunOutcome outcome) {
  HostSession session;
  session.python_ = std::move(python);
  session.questions_.close();
  if (outcome.outcome == core::Outcome::crashed) {
    session.process_ = Process::crashed;
    session.gone_ = true;
    session.detail_ = outcome_sentence(outcome);
    session.timeline_.process_crashed();
  } else if (outcome.outcome != core::Outcome::not_run) {
    session.process_ = Process::up;
  }
  session.outcome_ = std::move(outcome);
  return session;
}

SessionReaction HostSession::apply(SessionEvent event, Clock::time_point now) {
  const HostState before = state();
  now_ = std::max(now_, now);
  using session_event::RequestNotTaken, session_event::ResumeNotTaken;
  if (!std::holds_alternative<RequestNotTaken>(event) && !std::holds_alternative<ResumeNotTaken>(event)) before_request_.reset();
  SessionReaction out;
  std::visit([&](auto& each) { on(each, out); }, event);
  if (work_.empty()) stop_attempts_ = 0;
  if (state() != before) state_since_ = now_;
  return out;
}

void HostSession::advance(Clock::time_point now) {
  now_ = std::max(now_, now);
  if (!questions_.any_open())
    question_since_.reset();
  else if (!question_since_)
    question_since_ = now_;
}

// --- what it does ------------------------------------------------------------------------------------------------------

HostState HostSession::state() const {
  switch (process_) {
    case Process::none:
      return HostState::absent;
    case Process::finding:
      return HostState::finding;
    case Process::starting:
      return HostState::starting;
    case Process::ending:
      return HostState::ending;
    case Process::crashed:
      return HostState::crashed;
    case Process::ended:
      return HostState::ended;
    case Process::failed:
      return HostState::failed;
    case Process::up:
      break;
  }
  if (work_.empty()) return HostState::idle;
  if (stop_attempts_ > 0) return HostState::stopping;
  if (paused_at_stop()) return HostState::stopped;
  if (work_.front().is_act()) return HostState::acting;
  return work_.front().is_run() ? HostState::running : HostState::scanning;
}

bool HostSession::busy() const {
  if (process_ != Process::up) return false;
  const auto end = stop_ ? std::ranges::find_if(work_, &Work::is_whole_run) : work_.end();
  return std::any_of(work_.begin(), end, [](const Work& work) { return !work.is_act(); });
}

bool HostSession::python_rests() const {
  const HostState now = state();
  return now == HostState::idle || now == HostState::stopped || (is_acting() && !busy());
}

const std::string& HostSession::act() const {
  static const std::string none;
  return is_acting() ? work_.front().title : none;
}

bool HostSession::alive() const {
  return process_ == Process::starting || process_ == Process::up || process_ == Process::ending;
}

std::uint64_t HostSession::current_run() const {
  return process_ == Process::up && !work_.empty() && work_.front().is_run() ? work_.front().id : 0;
}

core::RunOutcome HostSession::outcome_of(std::uint64_t run) const {
  return run != 0 && run == outcome_run_ ? outcome_ : core::RunOutcome();
}

std::optional<std::uint64_t> HostSession::current_scan() const {
  const bool scans = process_ == Process::up && !work_.empty() && work_.front().kind_of_work == WorkKind::scan;
  return scans ? std::optional(work_.front().id) : std::nullopt;
}

bool HostSession::question_hangs() const { return question_since_ && now_ - *question_since_ > kQuestionHangs; }

// --- asked for by the viewer -------------------------------------------------------------------------------------------

void HostSession::begin_start(bool search) {
  process_ = search ? Process::finding : Process::starting;
  work_.clear();
  stop_.reset();
  left_stop_.reset();
  left_scans_ = 0;
  ended_.reset();
  first_run_ = waiting_run_ ? waiting_run_->run : last_run_ + 1;
  stop_attempts_ = 0;
  paused_run_ = 0;
  killed_ = gone_ = false;
  detail_.clear();
  suspension_.clear();
}

void HostSession::on(const session_event::StartAsked& event, SessionReaction& out) {
  out.start = true;
  if (process_ != Process::none) {
    out.restart = out.clear_notices = true;  // what was said of the old process is outdated
    out.output_note = "Python restarts";
    out.messages.push_back({Tone::plain, "Python restarts.", true});
    timeline_.process_leaves();
  }
  begin_start(event.search);
}

void HostSession::on(session_event::RunAsked& event, SessionReaction& out) {
  const bool in_frame = (stop_ && event.kind != RunKind::script) || (ended_ && event.kind == RunKind::console);
  if (in_frame) return run_in_frame(event, out);
  if (!can_run()) return;
  core::wire::Run& run = event.request;
  if (!fits_a_message(run)) {
    if (event.saved && event.kind == RunKind::script)
      run.source.reset();
    else
      return out.messages.push_back({Tone::bad, event.kind == RunKind::script ? kTooLong : kPartTooLong});
  }
  if (run.fresh_namespace) ended_.reset();
  last_kind_ = event.kind;
  // A script of the window that was never saved; the others without a path are of the command line.
  const bool is_unsaved = (run.path.empty() || run.path == core::wire::kUnsavedScriptFile) && run.interactive_stops;
  last_file_ = is_unsaved ? core::wire::kUnsavedScriptFile : file_of_code(run.path);
  if (event.kind == RunKind::console) last_file_.clear();
  script_of_run_ = std::move(event.script);
  outcome_ = {};
  out.clear_notices = true;
  if (!alive() && process_ != Process::finding) on(session_event::StartAsked{}, out);
  run.run = outcome_run_ = ++last_run_;
  if (process_ != Process::up) {
    waiting_run_ = std::make_shared<const core::wire::Run>(std::move(run));
    return;
  }
  add_work({.kind_of_work = WorkKind::run, .id = run.run, .scan_after = run.scan_after, .kind = event.kind});
  send(std::move(run), out);
}

void HostSession::run_in_frame(session_event::RunAsked& event, SessionReaction& out) {
  if (console_refusal() != nullptr) return;
  core::wire::Run& run = event.request;
  if (!fits_a_message(run)) return out.messages.push_back({Tone::bad, kPartTooLong});
  run.run = ++last_run_;
  run.stop = frames()->at.stop;
  run.frame = frames()->frame;
  add_work({.kind_of_work = WorkKind::run, .id = run.run, .scan_after = run.scan_after, .nested = true, .kind = event.kind});
  send(std::move(run), out);
}

void HostSession::send(core::wire::Run run, SessionReaction& out) {
  before_request_ = timeline_;
  timeline_.run_began(run.run);
  out.runs.push_back(std::move(run));
}

void HostSession::send(core::wire::Resume resume, SessionReaction& out) {
  before_request_ = timeline_;
  timeline_.resumed();
  out.resume = std::move(resume);
}

void HostSession::take_back() {
  if (before_request_) timeline_ = *std::exchange(before_request_, std::nullopt);
}

void HostSession::on(const session_event::ScanAsked&, SessionReaction& out) {
  if (scan_refusal() != nullptr) return;
  out.scan = ++last_scan_;
  add_work({.id = last_scan_});
}

void HostSession::add_work(Work work) {
  work_.insert(stop_ ? std::ranges::find_if(work_, &Work::is_whole_run) : work_.end(), std::move(work));
}

void HostSession::on(session_event::ResumeAsked& event, SessionReaction& out) {
  if (resume_refusal() != nullptr) return;
  send(core::wire::Resume{stop_->at.stop, event.kind, std::move(event.path), event.line}, out);
  out.clear_notices = true;
  left_scans_ = static_cast<std::size_t>(
      std::ranges::count(work_.begin(), std::ranges::find_if(work_, &Work::is_whole_run), WorkKind::scan, &Work::kind_of_work));
  leave_stop();
}

void HostSession::on(const session_event::PauseAsked&, SessionReaction& out) {
  out.pause = pause_refusal() == nullptr;
  if (out.pause) paused_run_ = current_run();
}

void HostSession::on(const session_event::FrameChosen& event, SessionReaction&) {
  std::optional<StopView>& view = stop_ ? stop_ : ended_;
  if (!view || event.frame >= view->at.frames.size() || event.frame == view->frame) return;
  view->frame = event.frame;
  view->place = view->revision = ++stop_revision_;
}

// The frames held tensors, so the tensors are scanned again.
void HostSession::on(const session_event::ReleaseFramesAsked&, SessionReaction& out) {
  if (stop_ || !ended_ || scan_refusal() != nullptr) return;
  out.release_frames = ended_->at.stop;
  ended_.reset();
  on(session_event::ScanAsked{}, out);
}

void HostSession::on(const session_event::ResumeNotTaken&, SessionReaction& out) {
  take_back();
  if (left_stop_) stop_ = std::exchange(left_stop_, std::nullopt);
  stop_attempts_ = 0;
  out.messages.push_back({Tone::bad, "The Python process does not accept requests: it has ended or hangs."});
}

void HostSession::on(const session_event::InterruptAsked&, SessionReaction& out) {
  if (!can_stop()) return;
  if (is_acting()) return interrupt_act(out);
  core::wire::Interrupt interrupt;
  if (question_hangs() && (work_.empty() || paused_at_stop()))
    interrupt.question = questions_.oldest_open();
  else if (stop_ && !work_.empty() && !work_.front().is_run())
    interrupt.scan = work_.front().id;
  else if (stop_ && !work_.empty() && work_.front().nested)
    interrupt.run = work_.front().id;
  else if (!stop_ && !work_.empty() && work_.front().is_run() && !work_.front().started)
    interrupt.run = work_.front().id;  // it may wait, behind a callback of the script's windows: then it does not begin
  if (stop_ && (interrupt.question != 0 || interrupt.run != 0 || interrupt.scan != 0)) {
    stopped_at_stop_ = now_;
  } else if (stop_ && stopped_at_stop_ && now_ - *stopped_at_stop_ < kSecondClick) {
    return;  // of a double click: the first one ended what it was meant for, and the script that stands there goes on standing
  } else if (paused_at_stop() && questions_.any_open()) {
    // A Stop would interrupt whatever the host does at that moment, which may be the question: the script is to end.
    send(core::wire::Resume{stop_->at.stop, core::wire::ResumeKind::end_script, {}, 0}, out);
  }
  if (!out.resume) out.interrupt = interrupt;
  if (process_ == Process::up && !work_.empty() && interrupt.question == 0) ++stop_attempts_;
}

void HostSession::on(const session_event::KillAsked&, SessionReaction& out) {
  if (!alive()) return;
  out.kill = killed_ = true;
}

void HostSession::on(const session_event::LeaveAsked&, SessionReaction& out) {
  if (process_ != Process::up) return;
  process_ = Process::ending;
  out.leave = true;
}

void HostSession::on(const session_event::RequestNotTaken&, SessionReaction& out) {
  take_back();
  // The last request is the last work; at a stop, the one before the run that stands there.
  const auto end = stop_ ? std::ranges::find_if(work_, &Work::is_whole_run) : work_.end();
  if (end != work_.begin() && !std::prev(end)->is_act()) work_.erase(std::prev(end));
  out.messages.push_back(
      {Tone::bad, "The Python process does not accept requests: it has ended or hangs. Restart gives a new one."});
}

// --- about the process -------------------------------------------------------------------------------------------------

void HostSession::on(session_event::PythonFound& event, SessionReaction&) {
  python_ = std::move(event.python);
  executable_ = std::move(event.executable);
  libraries_.clear();
  if (process_ == Process::finding || process_ == Process::none) process_ = Process::starting;
}

void HostSession::on(session_event::LibrariesFound& event, SessionReaction&) { libraries_ = std::move(event.libraries); }

void HostSession::on(session_event::StartFailed& event, SessionReaction& out) {
  gone_ = true;
  note_end(Process::failed, std::move(event.why), out);
}

void HostSession::on(const session_event::Ready& event, SessionReaction& out) {
  if (is_up()) return;  // said twice
  process_ = Process::up;
  work_.clear();
  detail_.clear();
  timeline_.process_started();
  out.messages.push_back({Tone::plain, fmt::format("Python {} is ready, as process {}.", event.python_version, event.pid), true});
  if (!waiting_run_) return;
  work_.push_back(
      {.kind_of_work = WorkKind::run, .id = waiting_run_->run, .scan_after = waiting_run_->scan_after, .kind = last_kind_});
  send(*std::exchange(waiting_run_, nullptr), out);
}

void HostSession::on(const session_event::Crashed& event, SessionReaction& out) {
  if (!alive()) return;
  timeline_.process_crashed();
  const char* const when = current_scan() ? " while its tensors were described" : "";
  std::string why = fmt::format("The script's process crashed{}: {}", when, signal_text(event.signal));
  if (!event.library.empty()) why += " in " + event.library;
  why += event.facts.where.empty() ? "." : ". " + event.facts.where;
  outcome_.outcome = core::Outcome::crashed;
  outcome_.signal = event.signal;
  outcome_.crash = event.facts;
  const std::int32_t line = line_in_stack(event.python_stack, last_file_);
  if (line > 0)
    outcome_.error = core::ScriptError{signal_text(event.signal), "the process crashed here", line, event.python_stack};
  note_end(Process::crashed, why + " The text and the last tensors stay; Restart gives a new Python.", out);
}

void HostSession::on(const session_event::Ended& event, SessionReaction& out) {
  gone_ = true;
  timeline_.process_ended();
  if (!alive()) return;  // crashed before, which was reported
  if (!event.why.empty()) return note_end(Process::failed, event.why, out);
  const std::string how = event.signal ? "was ended by " + signal_text(*event.signal)
                                       : fmt::format("ended with exit code {}", event.exit_code.value_or(0));
  const char* const when = current_scan() ? " while its tensors were described, so they are not shown, or not whole" : "";
  note_end(Process::ended, "The Python process " + how + when + ". Restart gives a new one.", out);
}

void HostSession::note_end(Process process, std::string why, SessionReaction& out) {
  const bool quietly = process == Process::ended && work_.empty();
  process_ = process;
  work_.clear();
  stop_.reset();
  left_stop_.reset();
  left_scans_ = 0;
  ended_.reset();
  waiting_run_.reset();
  waits_for_line_ = false, echoes_ = true;
  suspension_.clear();
  detail_ = std::move(why);
  out.output_note = detail_;
  out.note_of_failure = !quietly;
  out.messages.push_back({quietly ? Tone::plain : Tone::bad, detail_, quietly});
}

// --- about its work ----------------------------------------------------------------------------------------------------

std::deque<HostSession::Work>::iterator HostSession::find_work(WorkKind kind, std::uint64_t id) {
  return std::ranges::find_if(work_, [&](const Work& work) { return work.kind_of_work == kind && work.id == id; });
}

// The host works in order, so what was sent before `last` is over, too. A stop ends with the run that stands there.
void HostSession::finish_through(std::deque<Work>::iterator last) {
  const auto over = std::find_if(work_.begin(), last + 1, [](const Work& work) { return work.is_whole_run(); });
  const std::uint64_t run = over == last + 1 ? 0 : over->id;
  work_.erase(work_.begin(), last + 1);
  stop_attempts_ = 0;
  if (run == 0) return;
  timeline_.run_ended(run);
  stop_.reset();
  left_stop_.reset();
  left_scans_ = 0;
}

// A run that was stopped before it began leaves the act that it waited for, and there is nothing to scan.
void HostSession::finish_run(std::deque<Work>::iterator run) {
  if (!run->started && run != work_.begin() && work_.front().is_act()) {
    timeline_.run_ended(run->id);
    work_.erase(run);
    return;
  }
  const bool scanned = run->scan_after;
  finish_through(run);
  if (scanned) work_.push_front({.id = kScanOfRun});
}

void HostSession::on(const session_event::RunStarted& event, SessionReaction&) {
  if (process_ != Process::up) return;
  const auto found = find_work(WorkKind::run, event.run);
  if (found == work_.end() || std::exchange(found->started, true)) return;
  ++runs_;
  if (found != work_.begin()) finish_through(found - 1);
}

void HostSession::on(session_event::RunFinished& event, SessionReaction& out) {
  if (process_ != Process::up) return;
  const auto found = find_work(WorkKind::run, event.run);
  if (found == work_.end()) return;
  if (found->nested) return finish_nested(found, event, out);
  last_finished_run_ = event.run;
  const RunKind kind = found->kind;
  if (!found->started) ++runs_;
  finish_run(found);

  outcome_ = std::move(event.outcome);
  outcome_run_ = event.run;
  if (kind == RunKind::console && outcome_.error) outcome_.error->line = 0;  // no line of the script
  const bool finished = outcome_.outcome == core::Outcome::finished;
  const std::string sentence = outcome_sentence(outcome_);
  out.messages.push_back({finished ? Tone::plain : Tone::warn, fmt::format("Run {}: {}", event.run, sentence), true});
  // A part of the script or a console line that worked needs no note.
  out.note_of_failure = !finished;
  if (kind == RunKind::script || !finished) out.output_note = fmt::format("run {}: {}", event.run, sentence);
}

// A console line at a stop: only its own outcome; the script's run still stands there.
void HostSession::finish_nested(std::deque<Work>::iterator run, const session_event::RunFinished& event, SessionReaction& out) {
  last_finished_nested_ = event.run;
  if (!stop_) outcome_run_ = event.run;  // in the frames of a run that has ended: the next snapshot has this number
  finish_run(run);
  timeline_.run_ended(event.run);
  if (std::optional<StopView>& view = stop_ ? stop_ : ended_) view->revision = ++stop_revision_;
  const std::string sentence = outcome_sentence(event.outcome);
  out.messages.push_back({Tone::plain, fmt::format("Run {}, in the chosen frame: {}", event.run, sentence), true});
}

void HostSession::on(const session_event::ScanFinished& event, SessionReaction&) {
  if (left_scans_ > 0) {
    --left_scans_;
    return;
  }
  const auto found = find_work(WorkKind::scan, event.request);
  if (found != work_.end()) finish_through(found);
  // Scans are requested because something may have changed, such as a byte written by hand.
  std::optional<StopView>& view = stop_ ? stop_ : ended_;
  if (view && event.request != kScanOfRun) view->revision = ++stop_revision_;
}

void HostSession::on(const session_event::SnapshotCame& event, SessionReaction&) { timeline_.snapshot_came(event.revision); }

void HostSession::on(const session_event::OtherCodeRan&, SessionReaction&) { timeline_.other_code_ran(); }

void HostSession::on(const session_event::InputWatched& event, SessionReaction&) {
  waits_for_line_ = event.waits_for_line, echoes_ = event.echoes;
}

void HostSession::on(session_event::SuspensionWatched& event, SessionReaction&) {
  suspension_ = is_up() ? std::move(event.suspension) : std::string();
}

// --- questions ---------------------------------------------------------------------------------------------------------

Questions::Python HostSession::for_questions() const {
  if (questions_.closed()) return Questions::Python::gone;
  if (python_rests()) return Questions::Python::idle;
  return alive() || process_ == Process::finding ? Questions::Python::busy : Questions::Python::gone;
}

void HostSession::put_questions(const std::function<std::uint64_t(const Question&)>& ask) {
  questions_.put(for_questions(), ask);
  advance(now_);
}

}  // namespace dlscope::app
