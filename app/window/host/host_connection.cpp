#include "app/window/host/host_connection.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "app/host/crash_facts.h"
#include "app/host/session_events.h"
#include "app/host/suspended_watch.h"
#include "app/models/text/format.h"
#include "core/base/overloaded.h"

namespace dlscope::app {
namespace {

// The stop at which a snapshot that arrives now was taken; 0: none. The person may have gone on while it was under way.
std::uint64_t stop_of(const HostSession& session, core::Scanned scanned) {
  const StopView* const left = scanned == core::Scanned::stop ? session.left_stop() : nullptr;
  const StopView* const stop = session.stop() != nullptr ? session.stop() : left;
  return stop == nullptr ? 0 : stop->at.stop;
}

// Several of one scan are ever more complete; a script may report its tensors in a loop, of which the newest is enough.
bool takes_place_of(const ArrivedSnapshot& now, const ArrivedSnapshot& before) {
  if (now.process != before.process) return false;
  const bool same_scan = now.snapshot->info.revision == before.snapshot->info.revision;
  return same_scan || before.snapshot->sharing_not_yet() ||
         (now.scanned == core::Scanned::earlier && before.scanned == core::Scanned::earlier);
}

std::string python_description(const PythonChoice& python) {
  const std::filesystem::path prefix(python.prefix);
  const bool is_venv = python.prefix != python.base_prefix && !python.prefix.empty();
  return "Python " + python.version + (is_venv ? " · " + prefix.filename().string() : std::string());
}

}  // namespace

HostConnection::HostConnection(std::unique_ptr<HostLink> link, OutputModel& output, Notices& notices, TaskRunner& tasks,
                               std::function<void()> wake, std::function<void()> wake_to_look)
    : output_(output),
      notices_(notices),
      wake_(std::move(wake)),
      wake_to_look_(wake_to_look ? std::move(wake_to_look) : wake_),
      device_questions_(wake_),
      link_(std::move(link)),
      work_(link_.get(), tasks, [this](SessionEvent event) { apply(std::move(event)); }) {
  if (link_)
    apply(session_event::StartAsked{.search = true});
  else
    session_ = HostSession::recorded({}, {});
}

bool HostConnection::update() {
  bool changed = false;
  if (link_) {
    for (LinkEvent& event : link_->drain()) {
      take(event);
      changed = true;
    }
    device_questions_.put_to(*link_);
  }
  if (thread_watch_ && thread_watch_->take_ran()) apply(session_event::OtherCodeRan{});  // the moment tells whether that is news
  session_.put_questions([this](const Question& question) { return link_ ? link_->ask(question.kind, question.text) : 0; });
  session_.advance(HostSession::Clock::now());
  const bool asks = watch_input(), suspended = watch_suspension();
  return asks || suspended || changed;
}

void HostConnection::ask(SessionEvent event) {
  if (link_) apply(std::move(event));
}

bool HostConnection::agreed_to_python(const std::string& path) {
  const auto asked = notices_.take_question<command::ChoosePython>();
  return asked && asked->path == path;
}

bool HostConnection::may_choose_python(const std::string& path) {
  if (!would_lose()) return true;
  notices_.add(Tone::warn, "Choosing another Python ends this one: all its variables and what it imported are lost.", "Choose it",
               command::ChoosePython{path});
  return false;
}

void HostConnection::choose_python(const PythonChoice& python) {
  if (!link_) return;
  link_->choose(python);
  apply(session_event::StartAsked{});
  note_python(python);
}

void HostConnection::kill(std::optional<std::size_t> tensors) {
  if (!link_) return;
  const bool asked = notices_.take_question<command::KillHost>().has_value();
  if (asked || session_.stop_attempts() > 0) return apply(session_event::KillAsked{});
  const std::string lost = tensors ? counted(*tensors, "tensor", "tensors") + " and all variables" : "all variables";
  notices_.add(Tone::warn,
               "Kill ends the Python process at once: " + lost +
                   " are lost, and what the script has not written. Stop only interrupts it.",
               "Kill Python", command::KillHost{});
}

void HostConnection::restart() {
  const bool asked = notices_.take_question<command::RestartHost>().has_value();
  if (asked || !would_lose() || session_.stop_attempts() > 0) return ask(session_event::StartAsked{});
  notices_.add(Tone::warn, "Restart ends this Python: what runs in it, all its variables and what it imported are lost.",
               "Restart Python", command::RestartHost{});
}

void HostConnection::send_input(const std::string& text) {
  if (link_ && !link_->write_input(text))
    notices_.add(Tone::warn, "Python did not take all of the line: it is not reading, and its terminal is full.");
}

void HostConnection::set_breakpoints(core::wire::SetBreakpoints breakpoints) {
  breakpoints_ = std::move(breakpoints);
  if (link_ && session_.is_up()) link_->set_breakpoints(breakpoints_);
}

void HostConnection::note_script(const ScriptModel& script) {
  if (session_.can_run() && !script.is_the_one_of(std::exchange(last_script_, script.identity())))
    first_of_script_ = session_.next_run();
}

std::uint64_t HostConnection::comparable_from() const { return std::max(first_of_script_, session_.first_run_of_process()); }

void HostConnection::watch_threads(bool on) {
  if (thread_watch_) thread_watch_->watch(on);
}

// --- requests that follow from an event ---------------------------------------------------------------------------------

void HostConnection::note_libraries(std::string message) { apply(session_event::LibrariesFound{std::move(message)}); }

void HostConnection::apply(SessionEvent event) { carry_out(session_.apply(std::move(event))); }

void HostConnection::carry_out(SessionReaction reaction) {
  if (reaction.clear_notices) notices_.clear();
  if (reaction.release_frames) link_->resume({.stop = *reaction.release_frames, .path = {}});
  if (reaction.start) {
    device_questions_.end();
    memory_.forget();
    leases_.clear();
    notices_.lease_ended(0);
    link_->start();
  }
  bool taken = true;
  for (core::wire::Run& run : reaction.runs) taken = link_->run(std::move(run)) && taken;
  if (reaction.scan) taken = link_->scan(*reaction.scan) && taken;
  if (reaction.resume && !link_->resume(std::move(*reaction.resume))) apply(session_event::ResumeNotTaken{});
  if (reaction.pause) link_->pause();
  if (reaction.cancel_act) work_.cancel(*reaction.cancel_act);
  if (reaction.interrupt) link_->interrupt(*reaction.interrupt);
  if (reaction.kill) link_->kill();
  for (SessionReaction::Message& message : reaction.messages) {
    if (message.log_only)
      notices_.log(message.tone, std::move(message.text));
    else
      notices_.add(message.tone, std::move(message.text));
  }
  if (!reaction.output_note.empty())
    output_.note(reaction.output_note, reaction.note_of_failure ? OutputKind::failure : OutputKind::note);
  if (!taken) apply(session_event::RequestNotTaken{});
}

// --- what the host says ------------------------------------------------------------------------------------------------

void HostConnection::note_python(const PythonChoice& python) {
  apply(session_event::PythonFound{python_description(python),
                                   fmt::format("{} ({})", python.executable, python.chosen_because)});
}

void HostConnection::take(LinkEvent& event) {
  std::visit(core::Overloaded{
                 [&](PythonFound& found) {
                   note_python(found.python);
                   found_python_ = std::move(found.python);
                 },
                 [&](HostNotStarted& failed) {
                   memory_.forget();
                   apply(session_event::StartFailed{std::move(failed.why)});
                 },
                 [&](HostEvent& host) { take(host); },
             },
             event);
}

void HostConnection::take(HostEvent& event) {
  std::visit(core::Overloaded{
                 [&](const HostReady& ready) {
                   last_snapshot_ = nullptr;
                   pid_ = ready.hello.pid;
                   begin_reading(ready.hello.pid);
                   breakpoints_sent_({});
                   link_->set_breakpoints(breakpoints_);  // before the run that waits is sent
                 },
                 [&](const HostRunStarted& start) { begun_run_ = start.run; },
                 [&](const HostOutput& out) { output_.append(out.text); },
                 [&](const HostSnapshot& scan) { take(scan); },
                 [&](HostScanFinished& scan) {
                   if (scan.result == core::wire::ScanResult::failed) notices_.add(Tone::warn, std::move(scan.message));
                 },
                 [&](const HostProgress& progress) { work_.take(progress); },
                 [&](const HostPart& part) { work_.take(part); },
                 [&](const HostWorkEnded& end) {
                   if (!device_questions_.take(end)) work_.take(end);
                 },
                 [&](const HostLease& lease) {
                   leases_.take(lease, last_snapshot_.get());
                   if (lease.state == core::wire::LeaseState::gone) notices_.lease_ended(lease.lease);
                   if (!lease.message.empty()) notices_.add(Tone::warn, "dlscope no longer holds it: " + lease.message + ".");
                 },
                 [&](HostNotice& notice) { notices_.add(Tone::warn, std::move(notice.text)); },
                 [&](const HostAnswer& answered) { session_.answer(answered.answer); },
                 [&](HostCrashed& crash) {
                   device_questions_.end();  // the crashed thread may hold the driver's locks
                   const bool in_this_run = last_snapshot_ && last_snapshot_->info.run == session_.current_run();
                   crash.facts.where = crash_place(crash.facts, last_snapshot_.get(), in_this_run, pid_);
                   if (!crash.python_stack.empty()) output_.append("\n" + crash.python_stack + "\n");
                 },
                 [&](const HostEnded&) {
                   device_questions_.end();
                   memory_.forget();  // the pid may soon be another process's
                   leases_.clear();
                   notices_.lease_ended(0);
                   input_watch_.reset();
                   thread_watch_.reset();
                 },
                 [&](const HostBreakpoints& said) { breakpoints_sent_(said); },
                 // What concerns the session only.
                 [](const HostRunFinished&) {}, [](const HostAtStop&) {}, [](const HostResumed&) {},
                 [](const HostWindowsRan&) {},
             },
             event);
  if (auto told = session_event_of(event)) apply(std::move(*told));
}

void HostConnection::take(const HostSnapshot& scan) {
  if (!scan.snapshot) return;
  ArrivedSnapshot arrived{scan.snapshot, scan.scanned, stop_of(session_, scan.scanned), session_.timeline().process()};
  if (!arrived_.empty() && takes_place_of(arrived, arrived_.back()))
    arrived_.back() = std::move(arrived);
  else
    arrived_.push_back(std::move(arrived));
  memory_.show(*scan.snapshot);
  last_snapshot_ = scan.snapshot;
  leases_.follow(*last_snapshot_);
  if (thread_watch_) thread_watch_->forget(scan.python_threads);
}

void HostConnection::begin_reading(std::int32_t pid) {
  input_watch_ = pid > 0 ? std::make_unique<InputWatch>(pid, wake_) : nullptr;
  thread_watch_ = pid > 0 ? std::make_unique<ThreadWatch>(pid, wake_to_look_) : nullptr;
  if (pid <= 0) return;
  auto reader = core::process_reader(pid);
  if (reader) {
    device_questions_.begin();
    memory_.read(std::move(*reader), std::make_shared<core::ProcessPages>(pid), wake_,
                 [ask = device_questions_.ask()](std::int32_t ordinal) { return std::make_shared<DeviceReader>(ordinal, ask); });
  } else {
    notices_.add(Tone::warn, "The script's memory cannot be read: " + reader.error().message);
  }
}

// Finds out whether the script waits for a line of input, and whether that line must not be shown.
bool HostConnection::watch_input() {
  if (!input_watch_) return false;
  input_watch_->watch(session_.busy());
  const bool waits = session_.busy() && input_watch_->waiting();
  const bool echoes = !waits || !link_ || link_->terminal_echoes();
  if (waits == session_.waits_for_line() && echoes == session_.echoes()) return false;
  apply(session_event::InputWatched{waits, echoes});
  return true;
}

// Whether the host has begun what it was asked for last. That it is suspended is noticed up to a second later (InputWatch): what a
// person starts in that second waits, too, so for a run only the host's own word counts.
bool HostConnection::has_begun() const {
  const std::uint64_t run = session_.current_run();
  return run != 0 ? run == begun_run_ : !rested_when_suspended_;
}

// "Running" and "idle" alone would be wrong of a process that somebody has stopped, and nothing here lets it go on.
bool HostConnection::watch_suspension() {
  const bool is_suspended = input_watch_ && input_watch_->suspended() && session_.is_up(),
             is_said = !session_.suspension().empty(), is_shown = suspension_notice_ != 0;
  if (is_suspended != is_said) rested_when_suspended_ = !session_.busy();
  const bool work_waits = is_suspended && session_.busy() && !has_begun();
  if (is_suspended == is_said && is_suspended == is_shown && work_waits == says_work_waits_) return false;
  if (is_suspended != is_said)
    apply(session_event::SuspensionWatched{is_suspended ? suspended_sentence(pid_) : std::string()});
  if (suspension_notice_ != 0) notices_.dismiss(std::exchange(suspension_notice_, 0));
  says_work_waits_ = work_waits;
  if (is_suspended)
    suspension_notice_ =
        notices_.keep(Tone::warn, session_.suspension() + (work_waits ? ". What you have started begins then." : "."));
  return true;
}

}  // namespace dlscope::app
