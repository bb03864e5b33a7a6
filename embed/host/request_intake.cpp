#include "embed/host/request_intake.h"

#include <fmt/format.h>

#include <chrono>
#include <mutex>
#include <utility>
#include <vector>

#include "core/base/clock.h"
#include "embed/host/crash_guard.h"
#include "embed/host/request_ends.h"

namespace dlscope::embed {

using core::monotonic_ns;
using core::wire::HostPhase;
using namespace std::chrono_literals;

namespace {

constexpr std::chrono::nanoseconds kRunWaitsForAnswer = 300ms;  // then the question is broken off

}  // namespace

bool may_run_user_code(HostPhase phase) {
  return phase == HostPhase::running || phase == HostPhase::scanning || phase == HostPhase::ending ||
         phase == HostPhase::answering || phase == HostPhase::windows || phase == HostPhase::acting;
}

void RequestIntake::put(Request request) {
  const std::lock_guard lock(state_.mutex);
  state_.requests.put(std::move(request));
  state_.wakeups.post();
}

void RequestIntake::put_before_questions(Request wanted) {
  std::vector<core::wire::Ask> put_off;
  {
    const std::lock_guard lock(state_.mutex);
    put_off = state_.requests.put_before_questions(std::move(wanted));
    if (state_.phase() == HostPhase::answering && state_.run_waits_since_ns == 0) state_.run_waits_since_ns = monotonic_ns();
    state_.wakeups.post();
  }
  for (core::wire::Ask& question : put_off) refuse_as_busy(std::move(question));
}

void RequestIntake::put_question(core::wire::Ask question) {
  {
    const std::lock_guard lock(state_.mutex);
    const HostPhase now = state_.phase();
    const bool takes = now != HostPhase::running && now != HostPhase::ending && now != HostPhase::crashed;
    if (takes && state_.requests.put_question(question, state_.innermost_stop())) return state_.wakeups.post();
  }
  refuse_as_busy(std::move(question));
}

// Must not fail for want of memory: the run that the question made way for is queued already, and would be reported as failed.
void RequestIntake::refuse_as_busy(core::wire::Ask&& question) {
  send_(core::wire::Answer{question.id, std::move(question.kind), {}, core::wire::kAnswerBusy}, WhenFull::wait);
}

void RequestIntake::put_act(ActRequest act) {
  std::string why = "the script's process has crashed";
  if (!crashed()) {
    const std::lock_guard lock(state_.mutex);
    if (state_.requests.put_act(act)) return state_.wakeups.post();
    why = fmt::format("{} requests are already waiting for Python", RequestQueue::kMaxActs);
  }
  send_(core::wire::WorkEnded{act.id, core::wire::WorkOutcome::failed, std::move(why), {}}, WhenFull::wait);
}

void RequestIntake::put_change(Change change) {
  {
    const std::lock_guard lock(state_.mutex);
    state_.changes.push_back(std::move(change));
    state_.wakeups.post();
  }
  wake_python_for_changes();
}

// Only while user code runs; otherwise RequestServing::next() returns ChangesWait.
void RequestIntake::wake_python_for_changes() {
  void (*const wake_python)() = wake_python_;
  if (state_.phase() != HostPhase::running || wake_python == nullptr) return;
  {
    const std::lock_guard lock(state_.mutex);
    if (state_.changes.empty()) return;
  }
  wake_python();
}

void RequestIntake::interrupt(const core::wire::Interrupt& interrupt) {
  // A run that waits for a callback of the script's windows to end: nothing else leads to that callback, so it is what is
  // interrupted.
  const bool is_for_callback = interrupt.run != 0 && state_.phase() == HostPhase::windows;
  if (!is_for_callback && cancel_queued(interrupt)) return;
  const std::lock_guard lock(state_.mutex);
  if (!is_for_callback && state_.numbers.means_another(interrupt)) return;
  const HostPhase now = state_.phase();
  const bool is_at_stop = !state_.stops.empty();
  if (now == HostPhase::stopped && is_at_stop) return end_script_at_stop();
  if (now == HostPhase::acting && is_at_stop) end_script_at_stop();  // it ends the act, and then the script that is stopped
  state_.stop.request_stop();
  state_.interruption.note_attempt(interrupt.attempt);
  if (may_run_user_code(now)) {
    state_.send_interrupt();
  } else if (now != HostPhase::crashed && !state_.requests.empty()) {
    state_.interruption.defer();  // asked for before the run began, meant for it
  }
}

bool RequestIntake::cancel_queued(const core::wire::Interrupt& interrupt) {
  EndMessages ends;
  {
    const std::lock_guard lock(state_.mutex);
    const Request* const waiting = state_.requests.find(interrupt);
    if (waiting == nullptr) return false;
    ends = ends_of_interrupted(*waiting);  // before it is removed: where memory is out, it stays
    state_.requests.remove(interrupt);
    if (!state_.requests.has_run_or_resume()) state_.run_waits_since_ns = 0;
    if (state_.numbers.act != 0) {  // it waited behind this, which the user wants to end, too
      state_.stop.request_stop();
      state_.send_interrupt();
    }
  }
  for (const core::wire::ToViewer& end : ends) send_(end, WhenFull::wait);
  return true;
}

void RequestIntake::end_script_at_stop() {
  state_.requests.put(core::wire::Resume{state_.stops.back().stop, core::wire::ResumeKind::end_script, {}, 0});
  state_.wakeups.post();
}

void RequestIntake::interrupt_what_runs() {
  const std::lock_guard lock(state_.mutex);
  state_.send_interrupt();
}

void RequestIntake::cancel_act(std::uint64_t id) {
  bool waited = false;
  {
    const std::lock_guard lock(state_.mutex);
    waited = state_.requests.remove_act(id);
    if (!waited && state_.numbers.act == id && id != 0) {
      state_.numbers.act_cancelled = true;
      state_.stop.request_stop();
      state_.send_interrupt();
    }
  }
  if (waited) send_(core::wire::WorkEnded{id, core::wire::WorkOutcome::cancelled, {}, {}}, WhenFull::wait);
}

void RequestIntake::end_waiting_acts(const std::string& why, ActsAre acts) {
  core::wire::ToViewer end = core::wire::WorkEnded{0, core::wire::WorkOutcome::failed, why, {}};  // before any is taken out
  while (const std::uint64_t id = next_to_end(acts)) {
    std::get<core::wire::WorkEnded>(end).id = id;
    const bool sent = send_(end, WhenFull::wait);
    if (acts == ActsAre::taken_by_python) continue;
    if (!sent) return;
    take_out(id);
  }
}

// 0: none is left. One that Python may take is taken out at once, else it would get two ends.
std::uint64_t RequestIntake::next_to_end(ActsAre acts) {
  const std::lock_guard lock(state_.mutex);
  const std::uint64_t waiting = state_.requests.first_act();
  if (acts == ActsAre::left_by_crash) return waiting != 0 ? waiting : state_.numbers.act;
  static_cast<void>(state_.requests.remove_act(waiting));
  return waiting;
}

void RequestIntake::take_out(std::uint64_t act) {
  const std::lock_guard lock(state_.mutex);
  if (!state_.requests.remove_act(act) && state_.numbers.act == act) state_.numbers.act = 0;
}

void RequestIntake::interrupt_again() {
  const std::lock_guard lock(state_.mutex);  // RequestServing::end_answering() waits until the signal is sent
  state_.interruption.end_system_call_again();
  const std::int64_t since = state_.run_waits_since_ns, now = monotonic_ns();
  if (since != 0 && now - since > kRunWaitsForAnswer.count() && state_.phase() == HostPhase::answering) {
    state_.run_waits_since_ns = now;  // once more later: it may have been swallowed
    state_.stop.request_stop();
    state_.send_interrupt();
  } else if (state_.interruption.take_deferred()) {
    state_.send_interrupt();
  }
}

}  // namespace dlscope::embed
