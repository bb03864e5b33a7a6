// The signals and time limits of a headless run.
#include <fmt/core.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <string>

#include "app/cli/standard_streams.h"
#include "app/cli/supervisor.h"
#include "app/host/process_status.h"

namespace dlscope::app {

using std::chrono::milliseconds;

namespace {

constexpr milliseconds kGrace{2000};  // between SIGINT, the second SIGINT, and SIGKILL to the process group
constexpr milliseconds kScan{30000};  // extra time for a scan after a time limit, which was meant for the script
constexpr milliseconds kDies{5000};   // until a killed process has died; then we go on without it

// As a shell's kill of the whole job would; the host is in a group of its own, unless it has left it.
void send_to_host(pid_t host, int signal) { ::kill(::getpgid(host) == host ? -host : host, signal); }

// Sent by the script's process, or by one that it has started: whoever signals each process of the job from in there has signalled
// the script already, and whoever means us does not mean it.
bool is_sent_by_script(pid_t sender, pid_t host) {
  return sender > 0 && (::getpgid(sender) == ::getpgid(host) || is_below(sender, host));
}

}  // namespace

// While the script runs they do to it what they do without us. Afterwards only a handler of the script's is called: what is left to
// be done is ours.
void Supervisor::forward(const SentSignal& signal) {
  const bool runs = stage() == Stage::running;
  const auto status = process_status(host_->pid());
  if (stage() == Stage::starting || !status || (!runs && !status->catches(signal.number))) return;
  if (is_sent_by_script(signal.sender, host_->pid())) return;
  send_to_host(host_->pid(), signal.number);
}

// A hang-up is the script's own where it has a handler for it, or ignores it (nohup).
bool Supervisor::is_for_script(int signal) const {
  if (signal != SIGHUP || stage() == Stage::starting || stage() == Stage::leaving) return false;
  const auto status = process_status(host_->pid());
  return status && (status->catches(SIGHUP) || status->ignores(SIGHUP));
}

void Supervisor::look_at_signals() {
  while (const auto signal = interrupts_.take_for_script()) forward(*signal);
  while (const auto signal = interrupts_.take()) {
    if (is_for_script(signal->number)) {
      forward(*signal);
      continue;
    }
    if (cause_ == Cause::none) {
      begin_stopping(Cause::interrupt);
      // A person at the keyboard can press Ctrl-C again, so no deadline; the sender of SIGTERM or SIGHUP does not repeat it.
      if (signal->number == SIGINT) next_stop_ = Clock::time_point::max();
    } else {
      stop_harder();
    }
  }
}

// The time limit counts from the start of the script (before that, from the start of its process); the scan and Python's exit get
// some time beyond it.
void Supervisor::enter(Stage stage) {
  timed_stage_ = stage;
  next_stop_ = Clock::time_point::max();
  if (!limits_.timeout) return;
  const auto now = Clock::now();
  if (stage == Stage::starting || stage == Stage::running) script_deadline_ = now + *limits_.timeout;
  deadline_ = script_deadline_;
  if (stage == Stage::scanning) deadline_ = std::max(script_deadline_, now + kScan);
  if (stage == Stage::leaving) deadline_ = std::max(script_deadline_, now + kLeave);
}

void Supervisor::look_whether_suspended() {
  if (!suspended_.look(host_->pid()) || !suspended_.suspended()) return;
  const std::string wording = suspended_sentence(host_->pid());
  say(wording);
  add_event(wording);
}

void Supervisor::look_at_clock() {
  const auto now = Clock::now();
  look_whether_suspended();
  if (now >= next_stop_) stop_harder();
  if (now >= given_up_) {
    hangs_ = true;
    std::string wording = fmt::format("process {} does not end although it was killed: it hangs in the kernel", host_->pid());
    say(wording);
    add_event(std::move(wording));
  }
  if (now >= must_end_ && cause_ == Cause::none && stage() == Stage::running) {
    say("the script goes on after the moment that was asked for: stopping it");
    begin_stopping(Cause::moment);
  }
  if (now < deadline_) return;
  deadline_ = Clock::time_point::max();
  if (cause_ != Cause::none) return stop_harder();
  say(stage() == Stage::scanning ? "time-out: the scan does not end" : "time-out: stopping the script");
  begin_stopping(Cause::timeout);
}

void Supervisor::begin_stopping(Cause cause) {
  cause_ = cause;
  stop_harder();
}

void Supervisor::stop_harder() {
  ++stops_;
  // Before the script runs there is nothing to interrupt, and during exit nothing to scan.
  if (stops_ <= 2 && stage() != Stage::starting && stage() != Stage::leaving) {
    if (stops_ == 2 && cause_ == Cause::interrupt) say("the script does not stop; once more ends its process");
    host_->interrupt();
    next_stop_ = Clock::now() + kGrace;
    return;
  }
  tell(session_event::KillAsked{});
  next_stop_ = Clock::time_point::max();
  given_up_ = std::min(given_up_, Clock::now() + kDies);
  host_->kill();
}

}  // namespace dlscope::app
