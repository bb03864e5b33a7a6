// RequestIntake: what the viewer's messages do to the requests that wait for Python, and to the one that is being served: queued,
// refused, interrupted, cancelled. Sends the ends of those that Python will not serve.
// thread: the wire's, without the GIL. Borrows the state, whose mutex it takes; no message is sent while it is held.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>

#include "core/wire/messages.h"
#include "embed/host/request_queue.h"
#include "embed/host/send_to_viewer.h"
#include "embed/host/served_state.h"

namespace dlscope::embed {

class RequestIntake {
 public:
  RequestIntake(ServedState& state, SendToViewer send) : state_(state), send_(std::move(send)) {}

  void put(Request request);                       // Scan, Shutdown: in their turn
  void put_before_questions(Request wanted);       // Run, Resume: the questions that wait are refused as busy
  void put_question(core::wire::Ask question);     // or refuses it as busy
  void put_act(ActRequest act);                    // or fails it: too many wait, or the process has crashed
  void put_change(Change change);                  // wakes Python where user code runs

  void interrupt(const core::wire::Interrupt& interrupt);
  void interrupt_what_runs();  // whatever it is. thread: any
  // An act that waits ends at once. One that runs is interrupted, and its own end says whether that took effect.
  void cancel_act(std::uint64_t id);
  // Fails those that wait, and after a crash the one that ran, too. A crash may leave no memory to send an end with: then the act
  // waits on, and has its end with a later call.
  enum class ActsAre : bool { taken_by_python, left_by_crash };
  void end_waiting_acts(const std::string& why, ActsAre acts);

  // While user code may run, once per tick: sends a deferred interruption again, and breaks off a question that a run waits for.
  void interrupt_again();
  // While changes wait and user code runs, once per tick.
  void wake_python_for_changes();
  // Called by wake_python_for_changes(). Set once, before the first run. thread: any
  void on_change(void (*wake_python)()) { wake_python_ = wake_python; }

 private:
  void refuse_as_busy(core::wire::Ask&& question);
  // True: what is to be interrupted was still queued; it is removed and answered. The caller does not hold the mutex.
  [[nodiscard]] bool cancel_queued(const core::wire::Interrupt& interrupt);
  void end_script_at_stop();  // the caller holds the mutex; there is a stop
  [[nodiscard]] std::uint64_t next_to_end(ActsAre acts);
  void take_out(std::uint64_t act);

  ServedState& state_;
  SendToViewer send_;
  std::atomic<void (*)()> wake_python_{nullptr};
};

// Whether code of the user's may run in that phase, which Stop then has to interrupt.
[[nodiscard]] bool may_run_user_code(core::wire::HostPhase phase);

}  // namespace dlscope::embed
