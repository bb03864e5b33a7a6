// ServedState: what the viewer has asked for and what of it is being served. Shared by the wire's thread (RequestIntake) and the
// thread that runs Python (RequestServing, ServedStops). Owned by HostService.
// Members and functions: the caller holds `mutex`, unless a comment says otherwise.
#pragma once

#include <pthread.h>

#include <cstdint>
#include <deque>
#include <mutex>
#include <stop_token>
#include <variant>
#include <vector>

#include "core/wire/messages.h"
#include "core/wire/region.h"
#include "embed/host/interruption.h"
#include "embed/host/request_queue.h"
#include "embed/host/served_numbers.h"
#include "embed/host/signal_semaphore.h"

namespace dlscope::embed {

// What may come while user code runs, and is meant for that code.
using Change = std::variant<core::wire::SetBreakpoints, core::wire::Pause>;

// The state of the run that a stop suspends; restored when the stop is over.
struct SuspendedRun {
  std::uint64_t stop = 0;  // number of the stop
  core::wire::HostPhase phase{};
  std::stop_source source;
  bool interruptible = false;
  bool is_of_main_thread = true;
};

struct ServedState {
  // header: of the region; it must live as long. main_thread: Python's.
  ServedState(core::wire::RegionHeader& header, pthread_t main_thread);

  [[nodiscard]] core::wire::HostPhase phase() const;  // idle in a forked child. The mutex is not needed
  void set_phase(core::wire::HostPhase phase);        // not after a crash, and not in a forked child
  [[nodiscard]] core::wire::HostPhase waiting_phase() const;  // between requests
  [[nodiscard]] std::uint64_t innermost_stop() const { return stops.empty() ? 0 : stops.back().stop; }  // 0: none
  // Interrupts what is being served, in the thread that runs it.
  void send_interrupt();

  core::wire::RegionHeader& header;
  const pthread_t main_thread;
  std::mutex mutex;
  RequestQueue requests;
  std::deque<Change> changes;
  std::vector<SuspendedRun> stops;  // the innermost last
  std::stop_source stop;            // of what is being served
  ServedNumbers numbers;
  std::int64_t run_waits_since_ns = 0;  // since when a Run or a Resume waits for a question to end; 0: none waits
  Interruption interruption;
  SignalSemaphore wakeups;  // one for each request that came; some more than there are requests. The mutex is not needed
};

}  // namespace dlscope::embed
