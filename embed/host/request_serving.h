// RequestServing: gives the requests of the viewer out to the thread that runs Python, one after another, and keeps which of them
// is being served, what the host's phase is meanwhile, and whether Stop may interrupt it.
// thread: main; at a stop the stopped thread; what another one may call says so. Borrows the state, whose mutex it takes; no
// message is sent while it is held.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <optional>
#include <stop_token>

#include "core/wire/messages.h"
#include "embed/host/request_queue.h"
#include "embed/host/send_to_viewer.h"
#include "embed/host/served_state.h"

namespace dlscope::embed {

class RequestServing {
 public:
  RequestServing(ServedState& state, SendToViewer send) : state_(state), send_(std::move(send)) {}

  // The next request; the phase is idle (stopped at a stop) while it waits and fits the request when it returns (a run:
  // RunStarted was sent). A Resume, or a Run meant for a stop, may come too late: look at its number. What is served at a stop:
  // RequestQueue::take().
  // nullopt: the time is over, or a signal came: let its handler run and call again.
  [[nodiscard]] std::optional<Request> next(std::optional<std::chrono::milliseconds> at_most);
  // Around the callbacks of windows that user code left open, so that Stop can interrupt them. False: a request waits, run none.
  [[nodiscard]] bool begin_window_callbacks();
  void end_window_callbacks(bool ran);  // ran: there were events, so callbacks may have run
  [[nodiscard]] std::stop_token begin_scan();  // phase scanning
  // For a scan in the middle of a run. The token is a new one: an earlier Stop does not end the scan.
  [[nodiscard]] std::stop_token begin_scan_in_run();
  [[nodiscard]] std::deque<Change> take_changes();

  void nothing_to_interrupt();  // no user code runs any more: Stop has no effect. The GIL may be held
  // Ends the phase of an Ask that next() returned: a Stop meant for the question has no effect from here on. Send the answer
  // after it.
  void end_answering();
  // The same for an act; sends `end`, or, if the act was to be cancelled and `interrupted` says that this took effect,
  // WorkOutcome::cancelled.
  void end_act(core::wire::WorkEnded end, bool interrupted);

  // Of the request that is being served: set by Stop, by Ctrl+C in the terminal, and for a question by a run that waits behind
  // it. thread: any
  [[nodiscard]] std::stop_token stop_token();
  // Our handler of SIGINT was called, or KeyboardInterrupt was raised in the thread at a stop. thread: any
  void note_interrupt_taken();

 private:
  [[nodiscard]] std::optional<Request> take_request();
  // Phase and numbers of the request that was taken. The caller holds the mutex.
  void begin(const core::wire::Run& run);
  void begin(const core::wire::Ask& question);
  void begin(const ActRequest& act);
  void begin(const core::wire::Scan& scan);
  void begin(const core::wire::Shutdown& shutdown);
  void begin(const core::wire::Resume& resume);
  void begin(const ChangesWait& wait);
  void begin_interruptible();  // from here on Interrupt is meant for the request that was taken

  ServedState& state_;
  SendToViewer send_;
};

}  // namespace dlscope::embed
