// Supervisor: what run_supervised() does, by job: the order of events (supervised_run.cpp), signals and time limits
// (supervised_stopping.cpp), crashes and the outcome (supervised_end.cpp), the proof and what is read for a picture
// (supervised_proof.cpp).
// thread: main.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/cli/supervised_run.h"
#include "app/host/suspended_watch.h"
#include "app/models/host/host_session.h"
#include "app/models/host/session_event.h"
#include "core/wire/script_file.h"

namespace dlscope::app {

inline constexpr std::chrono::milliseconds kLook{50};     // poll interval for deadlines and signals
inline constexpr std::chrono::milliseconds kEnds{5000};   // for what a script does after the moment that it was run for
inline constexpr std::chrono::milliseconds kLeave{5000};  // extra time for Python's exit
inline constexpr std::uint64_t kProofWork = 1;            // number of the proof's work; later ones are reads of device memory

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
  using Clock = std::chrono::steady_clock;
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
  void forward(const SentSignal& signal);
  [[nodiscard]] bool is_for_script(int signal) const;
  void look_whether_suspended();
  void look_at_clock();
  void enter(Stage stage);
  void begin_stopping(Cause cause);
  void stop_harder();
  void leave_when_done();
  [[nodiscard]] bool waits_for_proof();
  // thread: any, one at a time, while the main thread waits and takes no events.
  [[nodiscard]] std::optional<core::wire::DeviceBytes> read_device(core::wire::ReadDevice work);
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
  std::uint64_t last_work_ = kProofWork;
  RunReport report_;
  HostSession session_;

  Stage timed_stage_ = Stage::starting;  // the stage that the deadlines are for
  Cause cause_ = Cause::none;
  int stops_ = 0;       // how often the host was asked to stop
  enum class Proving { not_asked, asked, over };
  Proving proving_ = Proving::not_asked;
  bool hangs_ = false;  // it was killed and does not die
  SuspendedWatch suspended_;
  std::optional<int> crash_signal_;
  Clock::time_point script_deadline_ = Clock::time_point::max();  // never moves while the script runs
  Clock::time_point deadline_ = Clock::time_point::max();         // of the present stage
  Clock::time_point next_stop_ = Clock::time_point::max();
  Clock::time_point must_end_ = Clock::time_point::max();  // the script, which has come to the moment that it was run for
  Clock::time_point given_up_ = Clock::time_point::max();
};

}  // namespace dlscope::app
