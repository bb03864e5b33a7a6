#include "app/cli/supervised_run.h"

#include <utility>
#include <variant>

#include "app/cli/standard_streams.h"
#include "app/cli/supervisor.h"
#include "app/host/session_events.h"
#include "app/models/host/session_reaction.h"

namespace dlscope::app {

using core::Outcome;
using core::Scanned;

namespace wire = core::wire;

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

void Supervisor::add_event(std::string text) { report_.events.push_back(std::move(text)); }

RunReport run_supervised(const HostLaunch& launch, core::wire::Run request, const RunLimits& limits, InterruptWatch& interrupts,
                         const ChooseProof& choose_proof, const BeforeLeaving& before_leaving) {
  return Supervisor{std::move(request), limits, interrupts, choose_proof, before_leaving}.run(launch);
}

}  // namespace dlscope::app
