// How the process of a headless run ended, in words and as an outcome.
#include <fmt/core.h>
#include <signal.h>
#include <unistd.h>

#include <cstring>
#include <utility>

#include "app/cli/plain_text.h"
#include "app/cli/standard_streams.h"
#include "app/cli/supervisor.h"
#include "app/files/write_all.h"
#include "app/host/crash_facts.h"
#include "app/models/host/crash_text.h"
#include "app/models/script/crash_stack.h"
#include "core/inventory/stopped_sharing.h"
#include "core/wire/script_file.h"

namespace dlscope::app {

using core::Outcome;

namespace {

// left: processes that it had started and that could not be ended.
std::string ended_description(std::size_t left) {
  if (left == 0) return "it was ended with all it had started";
  return fmt::format("it was ended, but not {} of the processes that it had started", left);
}

// " reading 0x8, in code of /usr/lib/libc.so.6"; " in code of /usr/lib/libc.so.6" where the address is not known. "" for a signal
// that was sent (kill, abort): it has no address, and where the code was when it came means nothing.
std::string place_of_crash(const HostCrashed& crash) {
  const bool is_of_code = crash.fault_address != 0;  // of SIGILL and SIGFPE, and where an address is none that a pointer can have
  if (!crash.facts.address && !is_of_code) return {};
  using Access = core::CrashFacts::Access;
  std::string text;
  if (crash.facts.address) {
    const char* const how = crash.facts.access == Access::write  ? " writing"
                            : crash.facts.access == Access::read ? " reading"
                                                                 : " at address";
    text = fmt::format("{} {:#x}", how, *crash.facts.address);
  }
  if (!crash.library.empty()) text += (text.empty() ? " in code of " : ", in code of ") + crash.library;
  return text;
}

}  // namespace

// The host is parked at the fault. In a headless run nobody looks at its memory: end it.
void Supervisor::take(HostCrashed& crash) {
  crash_signal_ = crash.signal;
  const char* abbreviation = ::sigabbrev_np(crash.signal);
  const std::string name = abbreviation == nullptr ? "" : std::string{"SIG"} + abbreviation;
  std::string wording = fmt::format("the script's process crashed{}: signal {} ({}){}", when_in_scan(), crash.signal,
                                    name.empty() ? "?" : name, place_of_crash(crash));
  say(wording);
  add_event(std::move(wording));
  std::string stack = plain_text(crash.python_stack, Newlines::keep);
  if (!stack.empty() && stack.back() != '\n') stack += '\n';
  if (!crash.stack_on_stderr) {
    [[maybe_unused]] const auto written = write_all(STDERR_FILENO, stack);
  }
  report_.outcome.crash = std::move(crash.facts);
  core::CrashFacts& facts = *report_.outcome.crash;
  const core::Snapshot* looked_at = report_.snapshot.get();
  facts.where = crash_place(facts, looked_at, looked_at != nullptr, host_->pid());
  for (const std::string& line : {crash_address_text(facts), facts.where}) {
    if (!line.empty()) say(line);
  }
  std::string native;
  for (const std::string& line : native_lines(facts)) native += (native.empty() ? "" : "; ") + line;
  if (!native.empty()) say("native code, innermost first: " + native);
  if (!report_.outcome.error) {
    const std::int32_t line = line_in_stack(crash.python_stack, file_of_code(request_.path));
    report_.outcome.error = core::ScriptError{name, ::strsignal(crash.signal), line, std::move(stack)};
  }
  host_->kill();
}

void Supervisor::take(HostEnded& end) {
  const bool leaving = stage() == Stage::leaving;
  if (crash_signal_ || killed() || leaving) {
    if (leaving && end.signal && !killed() && !crash_signal_) {
      say(fmt::format("Python's process was ended by signal {} while it was exiting", *end.signal));
    }
    return;
  }
  if (!started()) {
    if (report_.not_started.empty())
      report_.not_started = end.why.empty() ? "Python's process ended before the script could start" : end.why;
  } else if (end.signal) {
    crash_signal_ = end.signal;
    const char* hint = *end.signal == SIGKILL ? "; by another program, or because the system ran out of memory" : "";
    const std::string wording =
        fmt::format("the script's process was ended{} by signal {} ({}{})", when_in_scan(), *end.signal, ::strsignal(*end.signal),
                    hint);
    say(end.why.empty() ? wording : end.why);
    add_event(fmt::format("the process was ended{} by signal {} ({})", when_in_scan(), *end.signal, ::strsignal(*end.signal)));
  } else if (!session_.run_finished()) {
    // os._exit or exec: what happened after it cannot be known.
    report_.outcome.outcome = Outcome::finished;
    report_.outcome.exit_code = end.exit_code;
    report_.why_no_end =
        fmt::format("the process exited with code {} by itself (os._exit or the like)", end.exit_code.value_or(0));
    add_event(report_.why_no_end + "; nothing could be scanned after it");
  } else if (session_.current_scan()) {
    report_.scan_end = ScanEnd::lost;
    std::string wording = fmt::format(
        "the script's process exited with code {} while its tensors were described (os._exit or the like, called by what the "
        "scan asked)",
        end.exit_code.value_or(0));
    say(wording);
    add_event(std::move(wording));
  }
}

void Supervisor::conclude() {
  if (proving_ == Proving::asked) report_.proof_problem = "Python's process ended before it was over";
  if (report_.snapshot && report_.snapshot->sharing_not_yet()) report_.snapshot = core::with_sharing_stopped(*report_.snapshot);
  auto& outcome = report_.outcome;
  const bool killed_after_moment = cause_ == Cause::moment && killed() && !session_.run_finished();
  if (cause_ == Cause::timeout) {
    outcome.outcome = Outcome::timeout;
  } else if (killed_after_moment) {
    outcome.outcome = Outcome::finished;
  } else if (cause_ == Cause::interrupt && (killed() || !started())) {
    outcome.outcome = Outcome::interrupted;
  } else if (crash_signal_ && started()) {
    outcome.outcome = Outcome::crashed;
    outcome.signal = crash_signal_;
  } else if (crash_signal_) {
    report_.not_started = "Python's process crashed before the script could start";
  }
  // A script that was stopped leaves no process of its own behind.
  const bool stopped = outcome.outcome == Outcome::timeout || outcome.outcome == Outcome::interrupted;
  const std::size_t left = (stopped || killed_after_moment) && host_ ? host_->end_remaining_processes() : 0;
  const std::string ended = hangs_ ? "it was killed" : ended_description(left);
  if (killed_after_moment) {
    add_event("the script did not end after the moment that was asked for: " + ended);
  } else if (killed()) {
    const char* const late = suspended_.suspended() ? "the script's process was stopped and could not end: "
                                                    : "the script did not stop in time: ";
    add_event((cause_ == Cause::interrupt ? "interrupted again and again: " : late) + ended);
  } else if (left > 0) {
    add_event("the script was stopped: " + ended);
  }
  if (left > 0) say(fmt::format("{} of the processes that the script had started could not be ended", left));
  if (cause_ != Cause::none && !started()) report_.not_started.clear();
}

}  // namespace dlscope::app
