// What the viewer asks of a HostSession: runs, scans, ways on from a stop, Stop.
#include <algorithm>
#include <utility>

#include "app/models/host/host_session.h"
#include "app/models/host/session_event.h"
#include "app/models/host/session_reaction.h"
#include "app/models/script/crash_stack.h"
#include "core/wire/script_file.h"

namespace dlscope::app {
namespace {

constexpr std::chrono::milliseconds kSecondClick{800};  // a click this soon after another is part of a double click

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

}  // namespace dlscope::app
