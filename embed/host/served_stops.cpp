#include "embed/host/served_stops.h"

#include <pthread.h>
#include <sched.h>

#include <mutex>
#include <utility>

namespace dlscope::embed {

using core::wire::HostPhase;

void ServedStops::enter(core::wire::Stopped stop) {
  const bool is_main_thread = pthread_equal(pthread_self(), state_.main_thread) != 0;
  {
    const std::lock_guard lock(state_.mutex);
    state_.stops.push_back({stop.stop, state_.phase(), state_.stop, state_.interruption.is_possible(), is_main_thread});
    state_.interruption.forget();
    state_.set_phase(HostPhase::stopped);
    state_.wakeups.post();  // for what waited behind the run and may be served now
  }
  sched_yield();
  send_(std::move(stop), WhenFull::wait);
}

void ServedStops::leave() {
  core::wire::Resumed resumed;
  {
    const std::lock_guard lock(state_.mutex);
    if (state_.stops.empty()) return;
    SuspendedRun suspended = std::move(state_.stops.back());
    state_.stops.pop_back();
    resumed.stop = suspended.stop;
    state_.stop = std::move(suspended.source);
    state_.interruption.allow(suspended.interruptible);
    state_.set_phase(suspended.phase);
    // their own wake-ups were used up at the stop
    for (std::size_t i = 0; i < state_.requests.size(); ++i) state_.wakeups.post();
  }
  send_(resumed, WhenFull::wait);
}

void ServedStops::end_request() {
  {
    const std::lock_guard lock(state_.mutex);
    state_.numbers.frame_run = state_.numbers.scan = 0;
    if (state_.stops.empty()) return;
    state_.interruption.forget();
    state_.set_phase(HostPhase::stopped);
  }
  sched_yield();
}

StopPlace ServedStops::place() {
  const std::lock_guard lock(state_.mutex);
  return {state_.stops.size(), state_.innermost_stop()};
}

}  // namespace dlscope::embed
