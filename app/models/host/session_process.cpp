// The process of a HostSession: the Python that is found, how it starts, crashes and ends.
#include <fmt/format.h>
#include <string.h>

#include <utility>

#include "app/models/host/host_session.h"
#include "app/models/host/session_event.h"
#include "app/models/host/session_reaction.h"
#include "app/models/script/crash_stack.h"

namespace dlscope::app {
namespace {

std::string signal_text(int signal) {
  const char* name = ::sigabbrev_np(signal);
  return name != nullptr ? fmt::format("SIG{}", name) : fmt::format("signal {}", signal);
}

}  // namespace

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

}  // namespace dlscope::app
