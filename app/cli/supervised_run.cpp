#include "app/cli/supervised_run.h"

#include <fmt/core.h>
#include <signal.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <system_error>
#include <utility>

#include "app/cli/crash_stack.h"
#include "app/cli/plain_text.h"
#include "app/cli/standard_streams.h"
#include "app/files/write_all.h"

namespace dlscope::app {

using core::Outcome;
using core::Scanned;
using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

namespace {

constexpr milliseconds kLook{50};     // how often clocks and signals are looked at
constexpr milliseconds kGrace{2000};  // between SIGINT, SIGINT again, and the end of the process group
constexpr milliseconds kScan{30000};  // what a scan gets beyond a time limit that was meant for the script
constexpr milliseconds kLeave{5000};  // and what Python gets for leaving
constexpr milliseconds kDies{5000};   // a killed process, before we go on without it

sigset_t watched_signals() {
  sigset_t signals;
  sigemptyset(&signals);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) sigaddset(&signals, signal);
  return signals;
}

// What the script's code objects call their file (embed/host/host_request.cpp).
std::string file_of(const core::wire::Run& request) {
  if (request.path.empty()) return "<string>";
  std::error_code error;
  const std::string given = request.path.starts_with("./") ? request.path.substr(2) : request.path;
  return (std::filesystem::current_path(error) / given).string();
}

class Supervisor {
 public:
  Supervisor(core::wire::Run request, const RunLimits& limits, InterruptWatch& interrupts, const BeforeLeaving& before_leaving)
      : request_(std::move(request)), limits_(limits), interrupts_(interrupts), before_leaving_(before_leaving) {
    report_.outcome.script_path = request_.path.empty() ? "<string>" : request_.path;
  }

  RunReport run(const HostLaunch& launch);

 private:
  enum class Stage { starting, running, scanning, leaving };
  enum class Cause { none, timeout, interrupt };

  void handle(HostEvent& event);
  void handle_crash(HostCrashed& crash);
  void handle_end(HostEnded& end);
  void look_at_signals();
  void look_at_clock();
  void enter(Stage stage);
  void begin_stopping(Cause cause);
  void stop_harder();
  void leave_when_done();
  void scan_failed();
  void conclude();
  void add_event(std::string text);

  core::wire::Run request_;
  RunLimits limits_;
  InterruptWatch& interrupts_;
  const BeforeLeaving& before_leaving_;
  std::unique_ptr<HostClient> host_;
  RunReport report_;

  Stage stage_ = Stage::starting;
  Cause cause_ = Cause::none;
  int stops_ = 0;  // how often the host was asked to stop
  bool started_ = false, finished_ = false, killed_ = false, ended_ = false;
  bool last_scan_in_ = false;
  std::string last_notice_;  // after the script's end
  std::optional<int> crash_signal_;
  Clock::time_point script_deadline_ = Clock::time_point::max();  // never moves while the script runs
  Clock::time_point deadline_ = Clock::time_point::max();         // of the present stage
  Clock::time_point next_stop_ = Clock::time_point::max();
  Clock::time_point given_up_ = Clock::time_point::max();
};

RunReport Supervisor::run(const HostLaunch& launch) {
  auto host = HostClient::start(launch, {});
  if (!host) {
    report_.not_started = host.error().message;
    return std::move(report_);
  }
  host_ = std::move(*host);
  enter(Stage::starting);
  while (!ended_) {
    host_->wait(kLook);
    for (HostEvent& event : host_->drain()) handle(event);
    look_at_signals();
    look_at_clock();
    leave_when_done();
  }
  conclude();
  return std::move(report_);
}

void Supervisor::handle(HostEvent& event) {
  if (auto* ready = std::get_if<HostReady>(&event)) {
    report_.python = core::PythonFacts{ready->hello.python_version, ready->hello.executable, ready->hello.prefix};
    // A request to stop that came before the script ran: it never does.
    if (cause_ != Cause::none) return;
    if (!host_->run(request_)) {
      report_.not_started = "the script is too long to be handed over (4 MiB); put it into a file";
      host_->kill();
    }
  } else if (std::holds_alternative<HostRunStarted>(event)) {
    started_ = true;
    enter(Stage::running);
  } else if (auto* run = std::get_if<HostRunFinished>(&event)) {
    finished_ = true;
    report_.outcome = std::move(run->outcome);
    enter(Stage::scanning);
  } else if (auto* snapshot = std::get_if<HostSnapshot>(&event)) {
    report_.snapshot = std::move(snapshot->snapshot);
    report_.scanned = snapshot->scanned;
    if (finished_ && snapshot->scanned == Scanned::interrupt && report_.outcome.outcome == Outcome::finished)
      report_.scan_end = ScanEnd::interrupted;
    last_scan_in_ = last_scan_in_ || snapshot->scanned == Scanned::end || snapshot->scanned == Scanned::interrupt;
  } else if (auto* notice = std::get_if<HostNotice>(&event)) {
    say(notice->text);
    if (finished_) last_notice_ = std::move(notice->text);
  } else if (auto* crash = std::get_if<HostCrashed>(&event)) {
    handle_crash(*crash);
  } else if (auto* end = std::get_if<HostEnded>(&event)) {
    handle_end(*end);
  }
}

// The host stands still at the fault. Nobody looks at its memory in a headless run: end it.
void Supervisor::handle_crash(HostCrashed& crash) {
  crash_signal_ = crash.signal;
  const char* abbreviation = ::sigabbrev_np(crash.signal);
  const std::string name = abbreviation == nullptr ? "" : std::string{"SIG"} + abbreviation;
  std::string words = fmt::format("the script's process crashed: signal {} ({})", crash.signal, name.empty() ? "?" : name);
  // abort() has no address, and that it is libc's says nothing.
  if (crash.signal != SIGABRT) {
    words += fmt::format(" at address {:#x}", crash.fault_address);
    if (!crash.library.empty()) words += " in " + crash.library;
  }
  say(words);
  add_event(std::move(words));
  std::string stack = plain_text(crash.python_stack, Newlines::keep);
  if (!stack.empty() && stack.back() != '\n') stack += '\n';
  if (!crash.stack_on_stderr) {
    [[maybe_unused]] const auto written = write_all(STDERR_FILENO, stack);
  }
  if (!report_.outcome.error) {
    const std::int32_t line = line_in_stack(crash.python_stack, file_of(request_));
    report_.outcome.error = core::ScriptError{name, ::strsignal(crash.signal), line, std::move(stack)};
  }
  host_->kill();
}

void Supervisor::handle_end(HostEnded& end) {
  ended_ = true;
  if (crash_signal_ || killed_ || stage_ == Stage::leaving) {
    if (stage_ == Stage::leaving && end.signal && !killed_ && !crash_signal_) {
      say(fmt::format("Python's process was ended by signal {} while it was leaving", *end.signal));
    }
    return;
  }
  if (!started_) {
    if (report_.not_started.empty())
      report_.not_started = end.why.empty() ? "Python's process ended before the script could start" : end.why;
  } else if (end.signal) {
    crash_signal_ = end.signal;
    const char* hint = *end.signal == SIGKILL ? "; by somebody, or because the system ran out of memory" : "";
    const std::string words =
        fmt::format("the script's process was ended by signal {} ({}{})", *end.signal, ::strsignal(*end.signal), hint);
    say(end.why.empty() ? words : end.why);
    add_event(fmt::format("the process was ended by signal {} ({})", *end.signal, ::strsignal(*end.signal)));
  } else if (!finished_) {
    // os._exit, or an exec: what came after cannot be known.
    report_.outcome.outcome = Outcome::finished;
    report_.outcome.exit_code = end.exit_code;
    add_event(
        fmt::format("the process left by itself with exit code {} (os._exit or the like); nothing could be scanned after it",
                    end.exit_code.value_or(0)));
  } else if (!last_scan_in_) {
    report_.scan_end = ScanEnd::lost;
    std::string words = fmt::format(
        "the script's process left with exit code {} while its tensors were described (os._exit or the like, called by what the "
        "scan asked)",
        end.exit_code.value_or(0));
    say(words);
    add_event(std::move(words));
  }
}

void Supervisor::look_at_signals() {
  while (const auto signal = interrupts_.take()) {
    if (cause_ == Cause::none) {
      begin_stopping(Cause::interrupt);
      // Somebody at the keyboard presses again; whoever sends SIGTERM or SIGHUP does not.
      if (*signal == SIGINT) next_stop_ = Clock::time_point::max();
    } else {
      stop_harder();
    }
  }
}

// A time limit counts from the start of the script (of its process, as long as it has not started); the scan and the
// leaving get a little beyond it.
void Supervisor::enter(Stage stage) {
  stage_ = stage;
  next_stop_ = Clock::time_point::max();
  if (!limits_.timeout) return;
  const auto now = Clock::now();
  if (stage == Stage::starting || stage == Stage::running) script_deadline_ = now + *limits_.timeout;
  deadline_ = script_deadline_;
  if (stage == Stage::scanning) deadline_ = std::max(script_deadline_, now + kScan);
  if (stage == Stage::leaving) deadline_ = std::max(script_deadline_, now + kLeave);
}

void Supervisor::look_at_clock() {
  const auto now = Clock::now();
  if (now >= next_stop_) stop_harder();
  if (now >= given_up_) {
    ended_ = true;
    std::string words = fmt::format("process {} does not end although it was killed: it hangs in the kernel", host_->pid());
    say(words);
    add_event(std::move(words));
  }
  if (now < deadline_) return;
  deadline_ = Clock::time_point::max();
  if (cause_ != Cause::none) return stop_harder();
  say(stage_ == Stage::scanning ? "time-out: the scan does not end" : "time-out: stopping the script");
  begin_stopping(Cause::timeout);
}

void Supervisor::begin_stopping(Cause cause) {
  cause_ = cause;
  stop_harder();
}

void Supervisor::stop_harder() {
  ++stops_;
  // Before the script runs there is nothing to interrupt, and while leaving nothing to scan.
  if (stops_ <= 2 && stage_ != Stage::starting && stage_ != Stage::leaving) {
    if (stops_ == 2 && cause_ == Cause::interrupt) say("the script does not stop; once more ends its process");
    host_->stop();
    next_stop_ = Clock::now() + kGrace;
    return;
  }
  killed_ = true;
  next_stop_ = Clock::time_point::max();
  given_up_ = std::min(given_up_, Clock::now() + kDies);
  host_->kill();
}

void Supervisor::leave_when_done() {
  if (!finished_ || stage_ == Stage::leaving || crash_signal_ || killed_) return;
  if (!last_scan_in_) {
    if (!host_->settled()) return;
    // Settled, so everything is queued, but perhaps since the last drain.
    for (HostEvent& event : host_->drain()) handle(event);
    if (ended_) return;
    if (!last_scan_in_) scan_failed();
  }
  if (before_leaving_ && cause_ == Cause::none) before_leaving_(report_, host_->pid());
  enter(Stage::leaving);
  // Python waits for threads that are no daemons as long as it takes; so do we, unless we were asked to stop.
  const bool patient = cause_ == Cause::none;
  host_->shutdown(patient ? std::nullopt : std::optional{kLeave});
}

// The host has said why, if it could.
void Supervisor::scan_failed() {
  report_.scan_end = ScanEnd::failed;
  add_event(last_notice_.empty() ? "the scan after the script ended without a result" : last_notice_);
}

void Supervisor::conclude() {
  auto& outcome = report_.outcome;
  if (cause_ == Cause::timeout) {
    outcome.outcome = Outcome::timeout;
  } else if (cause_ == Cause::interrupt && (killed_ || !started_)) {
    outcome.outcome = Outcome::interrupted;
  } else if (crash_signal_ && started_) {
    outcome.outcome = Outcome::crashed;
    outcome.signal = crash_signal_;
  } else if (crash_signal_) {
    report_.not_started = "Python's process crashed before the script could start";
  }
  // What was told to stop leaves nothing running.
  const bool stopped = outcome.outcome == Outcome::timeout || outcome.outcome == Outcome::interrupted;
  if (stopped && host_) host_->end_what_it_left();
  if (killed_) {
    add_event(cause_ == Cause::timeout ? "the script did not stop in time: it was ended with all it had started"
                                       : "interrupted again and again: it was ended with all it had started");
  }
  if (cause_ != Cause::none && !started_) report_.not_started.clear();
}

void Supervisor::add_event(std::string text) { report_.events.push_back(std::move(text)); }

}  // namespace

InterruptWatch::InterruptWatch() {
  const sigset_t signals = watched_signals();
  ::pthread_sigmask(SIG_BLOCK, &signals, nullptr);
}

std::optional<int> InterruptWatch::take() {
  const sigset_t signals = watched_signals();
  const timespec at_once{0, 0};
  const int signal = ::sigtimedwait(&signals, nullptr, &at_once);
  return signal > 0 ? std::optional{signal} : std::nullopt;
}

void InterruptWatch::release() {
  while (take()) {  // keys that were pressed once too often are no reason to lose the report
  }
  const sigset_t signals = watched_signals();
  ::pthread_sigmask(SIG_UNBLOCK, &signals, nullptr);
}

RunReport run_supervised(const HostLaunch& launch, core::wire::Run request, const RunLimits& limits, InterruptWatch& interrupts,
                         const BeforeLeaving& before_leaving) {
  return Supervisor{std::move(request), limits, interrupts, before_leaving}.run(launch);
}

}  // namespace dlscope::app
