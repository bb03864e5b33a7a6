#include "embed/host/request_serving.h"

#include <sched.h>

#include <mutex>
#include <utility>
#include <variant>

namespace dlscope::embed {

using core::wire::HostPhase;

std::optional<Request> RequestServing::next(std::optional<std::chrono::milliseconds> at_most) {
  {
    const std::lock_guard lock(state_.mutex);
    if (!state_.requests.has_one_to_serve(state_.innermost_stop())) {
      state_.interruption.forget_deferred();
      state_.numbers.forget_last(!state_.stops.empty());
      state_.set_phase(state_.waiting_phase());
    }
  }
  if (!state_.wakeups.wait(at_most)) return std::nullopt;

  std::optional<Request> request = take_request();
  if (request) {
    if (const auto* run = std::get_if<core::wire::Run>(&*request)) send_(core::wire::RunStarted{run->run}, WhenFull::wait);
  }
  return request;
}

std::optional<Request> RequestServing::take_request() {
  const std::lock_guard lock(state_.mutex);
  if (!state_.changes.empty()) return ChangesWait{};
  std::optional<Request> request = state_.requests.take(state_.innermost_stop());
  if (request) std::visit([this](const auto& taken) { begin(taken); }, *request);  // one overload for every kind
  return request;
}

void RequestServing::begin(const core::wire::Run& run) {
  begin_interruptible();
  (run.stop != 0 ? state_.numbers.frame_run : state_.numbers.run) = run.run;
  if (run.stop == 0 || state_.stops.empty()) state_.header.run = run.run;
  state_.run_waits_since_ns = 0;
  state_.set_phase(HostPhase::running);
}

void RequestServing::begin(const core::wire::Ask& question) {
  begin_interruptible();
  state_.numbers.question = question.id;
  state_.set_phase(HostPhase::answering);
}

void RequestServing::begin(const ActRequest& act) {
  begin_interruptible();
  state_.numbers.act = act.id;
  state_.numbers.act_cancelled = false;
  state_.set_phase(HostPhase::acting);
}

void RequestServing::begin(const core::wire::Scan& scan) {
  begin_interruptible();
  state_.numbers.scan = scan.request;
  state_.set_phase(HostPhase::scanning);
}

void RequestServing::begin(const core::wire::Shutdown&) {
  if (!state_.stops.empty()) return;  // served when the script has ended
  begin_interruptible();
  state_.set_phase(HostPhase::ending);
}

void RequestServing::begin(const core::wire::Resume&) { state_.run_waits_since_ns = 0; }

void RequestServing::begin(const ChangesWait&) {}

void RequestServing::begin_interruptible() {
  state_.interruption.allow();
  state_.stop = std::stop_source();
  state_.numbers.forget_last(!state_.stops.empty());
}

std::deque<Change> RequestServing::take_changes() {
  const std::lock_guard lock(state_.mutex);
  return std::exchange(state_.changes, {});
}

void RequestServing::nothing_to_interrupt() {
  const std::lock_guard lock(state_.mutex);
  state_.interruption.forget();
}

void RequestServing::end_answering() {
  {
    const std::lock_guard lock(state_.mutex);  // whoever interrupts a question holds it
    state_.interruption.forget();
    state_.numbers.question = 0;
    if (state_.phase() == HostPhase::answering) state_.set_phase(state_.waiting_phase());
  }
  sched_yield();  // a signal sent before is delivered at the latest on the way back from here
}

void RequestServing::end_act(core::wire::WorkEnded end, bool interrupted) {
  {
    const std::lock_guard lock(state_.mutex);
    state_.interruption.forget();
    state_.numbers.act = 0;
    if (interrupted && state_.numbers.act_cancelled) end = {end.id, core::wire::WorkOutcome::cancelled, {}, {}};
    if (state_.phase() == HostPhase::acting) state_.set_phase(state_.waiting_phase());
  }
  sched_yield();
  send_(end, WhenFull::wait);
}

bool RequestServing::begin_window_callbacks() {
  const std::lock_guard lock(state_.mutex);
  if (!state_.requests.empty()) return false;
  state_.interruption.allow();
  state_.set_phase(HostPhase::windows);
  return true;
}

void RequestServing::end_window_callbacks(bool ran) {
  if (ran) ++state_.header.window_turns;
  {
    const std::lock_guard lock(state_.mutex);
    state_.interruption.forget();
    state_.set_phase(HostPhase::idle);
  }
  sched_yield();
}

std::stop_token RequestServing::begin_scan() {
  const std::lock_guard lock(state_.mutex);
  state_.set_phase(HostPhase::scanning);
  state_.interruption.allow();  // a scan calls into the user's classes
  state_.stop = std::stop_source();
  return state_.stop.get_token();
}

std::stop_token RequestServing::begin_scan_in_run() {
  const std::lock_guard lock(state_.mutex);
  state_.stop = std::stop_source();
  return state_.stop.get_token();
}

std::stop_token RequestServing::stop_token() {
  const std::lock_guard lock(state_.mutex);
  return state_.stop.get_token();
}

void RequestServing::note_interrupt_taken() {
  const std::lock_guard lock(state_.mutex);
  state_.interruption.note_taken();
  state_.stop.request_stop();
}

}  // namespace dlscope::embed
