#include "app/cli/supervised_run.h"

#include <fmt/core.h>
#include <signal.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "app/cli/plain_text.h"
#include "app/cli/standard_streams.h"
#include "app/files/write_all.h"
#include "app/host/crash_facts.h"
#include "app/host/process_status.h"
#include "app/host/session_events.h"
#include "app/models/host/crash_text.h"
#include "app/models/host/host_session.h"
#include "app/models/host/session_event.h"
#include "app/models/host/session_reaction.h"
#include "app/models/script/crash_stack.h"
#include "core/inventory/stopped_sharing.h"
#include "core/wire/script_file.h"

namespace dlscope::app {

using core::Outcome;
using core::Scanned;
using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

namespace {

namespace wire = core::wire;

constexpr milliseconds kLook{50};     // poll interval for deadlines and signals
constexpr milliseconds kGrace{2000};  // between SIGINT, the second SIGINT, and SIGKILL to the process group
constexpr milliseconds kEnds{5000};   // for what a script does before it ends, after the moment that it was run for
constexpr milliseconds kScan{30000};  // extra time for a scan after a time limit, which was meant for the script
constexpr milliseconds kLeave{5000};  // extra time for Python's exit
constexpr milliseconds kStatus{1000};  // between two looks whether somebody has stopped the process
constexpr std::uint64_t kProof = 1;   // number of the proof's work; later ones are reads of device memory
constexpr milliseconds kDeviceAnswers{10000};  // how long a picture waits for a busy device
constexpr milliseconds kDies{5000};   // until a killed process has died; then we go on without it

// As a shell's kill of the whole job would; the host is in a group of its own, unless it has left it.
void send_to_host(pid_t host, int signal) { ::kill(::getpgid(host) == host ? -host : host, signal); }

// What the window's Run menu could do about it cannot be done here.
std::string without_advice(std::string text) {
  constexpr std::string_view kAdvice = " Scan again (Run menu) to see what there is now.";
  if (text.ends_with(kAdvice)) text.resize(text.size() - kAdvice.size());
  return text;
}

// left: processes that it had started and that could not be ended.
std::string ended_description(std::size_t left) {
  if (left == 0) return "it was ended with all it had started";
  return fmt::format("it was ended, but not {} of the processes that it had started", left);
}

// " reading 0x8, in code of /usr/lib/libc.so.6". "" for a signal that was sent (kill, abort): it has no address, and where the code
// was when it came means nothing.
std::string place_of_crash(const HostCrashed& crash) {
  const bool is_of_code = crash.fault_address != 0;  // of SIGILL, SIGFPE and SIGTRAP
  if (!crash.facts.address && !is_of_code) return {};
  using Access = core::CrashFacts::Access;
  std::string text;
  if (crash.facts.address) {
    const char* const how = crash.facts.access == Access::write ? " writing" : crash.facts.access == Access::read ? " reading" : " at address";
    text = fmt::format("{} {:#x}", how, *crash.facts.address);
  }
  if (!crash.library.empty()) text += (text.empty() ? " in code of " : ", in code of ") + crash.library;
  return text;
}

class Supervisor {
 public:
  Supervisor(core::wire::Run request, const RunLimits& limits, InterruptWatch& interrupts, const ChooseProof& choose_proof,
             const BeforeLeaving& before_leaving)
      : request_(std::move(request)),
        limits_(limits),
        interrupts_(interrupts),
        choose_proof_(choose_proof),
        before_leaving_(before_leaving) {
    const std::string& module = request_.module;  // its file is known to the host
    report_.outcome.script_path = !request_.path.empty() ? request_.path : module.empty() ? core::wire::kCodeFile : module;
  }

  RunReport run(const HostLaunch& launch);

 private:
  // The stages that time limits apply to: the script has not started yet, runs, has ended, Python was asked to exit.
  enum class Stage { starting, running, scanning, leaving };
  enum class Cause { none, timeout, interrupt, moment };  // moment: it went on after the one that it was run for

  void handle(HostEvent& event);
  void tell(SessionEvent event);
  [[nodiscard]] Stage stage() const;
  [[nodiscard]] bool started() const { return session_.runs() > 0; }
  void take(const HostReady& ready);
  void take(const HostRunFinished& run);
  void take(HostSnapshot& snapshot);
  void take(const HostScanFinished& end);
  void take(const HostNotice& notice);
  void take(const HostWorkEnded& end);
  void take(HostCrashed& crash);
  void take(HostEnded& end);
  // The session knows of them, or nothing that is asked of a headless run leads to them.
  void take(const HostOutput&) {}
  void take(const HostRunStarted&) {}
  void take(const HostAnswer&) {}
  void take(const HostProgress&) {}
  void take(const HostPart&) {}
  void take(const HostLease&) {}
  void take(const HostBreakpoints&) {}
  void take(const HostAtStop&) {}
  void take(const HostResumed&) {}
  void take(const HostWindowsRan&) {}
  void look_at_signals();
  void forward(int signal);
  [[nodiscard]] bool is_for_script(int signal) const;
  void look_whether_stopped();
  void look_at_clock();
  void enter(Stage stage);
  void begin_stopping(Cause cause);
  void stop_harder();
  void leave_when_done();
  [[nodiscard]] bool waits_for_proof();
  // thread: any, one at a time, while the main thread waits and takes no events.
  [[nodiscard]] std::optional<wire::DeviceBytes> read_device(wire::ReadDevice work);
  void conclude();
  void add_event(std::string text);
  // What the words about a process that has just ended need, when it was the scan of its tensors.
  [[nodiscard]] const char* when_in_scan() const {
    return session_.run_finished() && session_.current_scan() ? " while its tensors were described" : "";
  }
  void not_sent(const std::string& why);
  [[nodiscard]] bool killed() const { return session_.killed(); }
  // Before it had done what it was run for.
  [[nodiscard]] bool cut_short() const { return cause_ == Cause::timeout || cause_ == Cause::interrupt; }

  core::wire::Run request_;
  RunLimits limits_;
  InterruptWatch& interrupts_;
  const ChooseProof& choose_proof_;
  const BeforeLeaving& before_leaving_;
  std::unique_ptr<HostClient> host_;
  std::vector<HostEvent> put_off_;  // came while read_device() waited for another event
  std::uint64_t last_work_ = kProof;
  RunReport report_;
  HostSession session_;

  Stage timed_stage_ = Stage::starting;  // the stage that the deadlines are for
  Cause cause_ = Cause::none;
  int stops_ = 0;       // how often the host was asked to stop
  enum class Proving { not_asked, asked, over };
  Proving proving_ = Proving::not_asked;
  bool hangs_ = false;  // it was killed and does not die
  int stopped_looks_ = 0;  // how many looks in succession have found it stopped
  Clock::time_point next_status_{};
  std::optional<int> crash_signal_;
  Clock::time_point script_deadline_ = Clock::time_point::max();  // never moves while the script runs
  Clock::time_point deadline_ = Clock::time_point::max();         // of the present stage
  Clock::time_point next_stop_ = Clock::time_point::max();
  Clock::time_point must_end_ = Clock::time_point::max();  // the script, which has come to the moment that it was run for
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
  tell(session_event::StartAsked{});
  tell(session_event::RunAsked{.request = request_});
  while (!session_.process_gone() && !hangs_) {
    host_->wait(kLook);
    for (HostEvent& event : std::exchange(put_off_, {})) handle(event);
    for (HostEvent& event : host_->drain()) handle(event);
    look_at_signals();
    look_at_clock();
    leave_when_done();
  }
  conclude();
  return std::move(report_);
}

void Supervisor::handle(HostEvent& event) {
  std::visit([this](auto& each) { take(each); }, event);  // one overload for every kind
  if (auto told = session_event_of(event)) tell(std::move(*told));
}

void Supervisor::take(const HostReady& ready) {
  report_.python = core::PythonFacts{ready.hello.python_version, ready.hello.executable, ready.hello.prefix};
}

void Supervisor::take(const HostRunFinished& run) { report_.outcome = run.outcome; }

// Once the requested moment was scanned, later scans do not count. Of a scan whose sharing takes long the final snapshot follows.
void Supervisor::take(HostSnapshot& snapshot) {
  const bool unfinished = report_.snapshot && report_.snapshot->sharing_not_yet();
  const bool same_scan = unfinished && snapshot.snapshot->info.revision == report_.snapshot->info.revision;
  if (report_.scanned == Scanned::stop && !same_scan) return;
  report_.snapshot = std::move(snapshot.snapshot);
  report_.scanned = snapshot.scanned;
  if (report_.scanned == Scanned::stop) must_end_ = Clock::now() + kEnds;
}

void Supervisor::take(const HostNotice& notice) { say(notice.text); }

void Supervisor::tell(SessionEvent event) {
  const SessionReaction reaction = session_.apply(std::move(event));
  for (const wire::Run& run : reaction.runs) {
    // Stopped before the script ran: then it never does.
    if (cause_ == Cause::none && !host_->run(run)) not_sent("it does not accept the script");
  }
  for (const SessionReaction::Message& message : reaction.messages) {
    if (!started() && !message.log_only && session_.state() == HostState::starting) not_sent(message.text);
  }
  if (stage() != timed_stage_) enter(stage());
}

void Supervisor::not_sent(const std::string& why) {
  report_.not_started = why;
  host_->kill();
}

Supervisor::Stage Supervisor::stage() const {
  if (session_.state() == HostState::ending) return Stage::leaving;
  if (!started()) return Stage::starting;
  return session_.current_run() != 0 ? Stage::running : Stage::scanning;
}

// Only the scan after the script; scans that the script itself asked for do not count.
void Supervisor::take(const HostScanFinished& end) {
  if (end.request != kScanOfRun || !session_.run_finished()) return;
  if (end.result == wire::ScanResult::stopped && report_.outcome.outcome == Outcome::finished)
    report_.scan_end = ScanEnd::interrupted;
  if (end.result != wire::ScanResult::failed) return;
  report_.scan_end = ScanEnd::failed;
  const std::string wording = end.message.empty() ? "the scan after the script ended without a result" : end.message;
  say(wording);
  add_event(wording);
}

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
        fmt::format("the script's process was ended{} by signal {} ({}{})", when_in_scan(), *end.signal, ::strsignal(*end.signal), hint);
    say(end.why.empty() ? wording : end.why);
    add_event(fmt::format("the process was ended{} by signal {} ({})", when_in_scan(), *end.signal, ::strsignal(*end.signal)));
  } else if (!session_.run_finished()) {
    // os._exit or exec: what happened after it cannot be known.
    report_.outcome.outcome = Outcome::finished;
    report_.outcome.exit_code = end.exit_code;
    add_event(fmt::format("the process exited with code {} by itself (os._exit or the like); nothing could be scanned after it",
                          end.exit_code.value_or(0)));
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

// While the script runs they do to it what they do without us. Afterwards only a handler of the script's is called: what is left to
// be done is ours.
void Supervisor::forward(int signal) {
  const bool runs = stage() == Stage::running;
  const auto status = process_status(host_->pid());
  if (stage() == Stage::starting || !status || (!runs && !status->catches(signal))) return;
  send_to_host(host_->pid(), signal);
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
    if (is_for_script(*signal)) {
      forward(*signal);
      continue;
    }
    if (cause_ == Cause::none) {
      begin_stopping(Cause::interrupt);
      // A person at the keyboard can press Ctrl-C again, so no deadline; the sender of SIGTERM or SIGHUP does not repeat it.
      if (*signal == SIGINT) next_stop_ = Clock::time_point::max();
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

// Somebody has stopped it (SIGSTOP): it is not hanging, and goes on when it is told to. A read of the terminal stops it, too, which is
// noticed elsewhere and over at once.
void Supervisor::look_whether_stopped() {
  const auto now = Clock::now();
  if (now < next_status_) return;
  next_status_ = now + kStatus;
  const auto status = process_status(host_->pid());
  const bool was = std::exchange(stopped_looks_, status && status->stopped ? stopped_looks_ + 1 : 0) >= 1;
  if (!was || stopped_looks_ != 2) return;
  const std::string wording = fmt::format("Python's process {0} is stopped (SIGSTOP or the like): kill -CONT {0} lets it go on",
                                          host_->pid());
  say(wording);
  add_event(wording);
}

void Supervisor::look_at_clock() {
  const auto now = Clock::now();
  look_whether_stopped();
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

void Supervisor::leave_when_done() {
  if (!session_.run_finished() || session_.state() != HostState::idle || killed()) return;
  if (waits_for_proof()) return;
  if (before_leaving_ && !cut_short()) {
    before_leaving_(report_, host_->pid(), [this](wire::ReadDevice work) { return read_device(std::move(work)); });
  }
  tell(session_event::LeaveAsked{});
  // Python waits without limit for non-daemon threads; so do we, unless we were asked to stop.
  const bool patient = cause_ == Cause::none;
  if (cause_ != Cause::none) host_->end_remaining_processes();  // told now: its children are ended or spared when it exits
  host_->shutdown(patient ? std::nullopt : std::optional{kLeave});
}

std::optional<wire::DeviceBytes> Supervisor::read_device(wire::ReadDevice work) {
  const std::uint64_t id = ++last_work_;
  if (!host_->start_work({.id = id, .work = std::move(work)})) return std::nullopt;
  const auto until = Clock::now() + kDeviceAnswers;
  std::optional<wire::DeviceBytes> answer;
  for (bool ended = false; !ended && Clock::now() < until; host_->wait(kLook)) {
    for (HostEvent& event : host_->drain()) {
      auto* const end = std::get_if<HostWorkEnded>(&event);
      ended = ended || (end != nullptr && end->id == id) || std::holds_alternative<HostEnded>(event);
      if (end == nullptr || end->id != id) {
        put_off_.push_back(std::move(event));
      } else if (auto* const bytes = std::get_if<wire::DeviceBytes>(&end->result)) {
        answer = std::move(*bytes);
      }
    }
    if (ended) break;
  }
  return answer;
}

// Requests the proof once, when the tensors are known and nothing runs that could change them.
bool Supervisor::waits_for_proof() {
  if (!choose_proof_ || cut_short() || proving_ == Proving::over) return false;
  if (proving_ == Proving::asked) return true;
  proving_ = Proving::over;
  if (!report_.snapshot) return false;
  if (report_.scanned == Scanned::stop) {
    report_.proof_problem = "the moment that --at stopped at is over: there is nothing left to prove about it";
    return false;
  }
  const auto request = choose_proof_(*report_.snapshot);
  if (!request || request->pairs.empty()) return false;
  wire::Prove work{.revision = report_.snapshot->info.revision, .tensors = {}, .pairs = true, .probe = request->probe};
  for (const core::ProofPair& pair : request->pairs) work.tensors.insert(work.tensors.end(), {pair.from, pair.to});
  report_.proved = request->pairs;
  if (host_->start_work({.id = kProof, .work = std::move(work)})) {
    proving_ = Proving::asked;
    return true;
  }
  report_.proof_problem = "Python's process does not accept the request";
  return false;
}

void Supervisor::take(const HostWorkEnded& end) {
  if (end.id != kProof || proving_ != Proving::asked) return;
  proving_ = Proving::over;
  if (const auto* proof = std::get_if<core::Proof>(&end.result); proof != nullptr && proof->steps.size() == report_.proved.size())
    report_.proof = *proof;
  else
    report_.proof_problem = end.message.empty() ? "it was interrupted" : without_advice(end.message);
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
    const char* const late = stopped_looks_ > 1 ? "the script's process was stopped and could not end: " : "the script did not stop in time: ";
    add_event((cause_ == Cause::interrupt ? "interrupted again and again: " : late) + ended);
  } else if (left > 0) {
    add_event("the script was stopped: " + ended);
  }
  if (left > 0) say(fmt::format("{} of the processes that the script had started could not be ended", left));
  if (cause_ != Cause::none && !started()) report_.not_started.clear();
}

void Supervisor::add_event(std::string text) { report_.events.push_back(std::move(text)); }

}  // namespace

RunReport run_supervised(const HostLaunch& launch, core::wire::Run request, const RunLimits& limits, InterruptWatch& interrupts,
                         const ChooseProof& choose_proof, const BeforeLeaving& before_leaving) {
  return Supervisor{std::move(request), limits, interrupts, choose_proof, before_leaving}.run(launch);
}

}  // namespace dlscope::app
