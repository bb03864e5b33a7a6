#include "app/models/host/host_session.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "app/models/host/outcome_sentence.h"
#include "app/models/host/session_event.h"
#include "app/models/host/session_reaction.h"

namespace dlscope::app {
namespace {

constexpr std::chrono::milliseconds kQuestionHangs{300};  // most answers come within a frame or two

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
