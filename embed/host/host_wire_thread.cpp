// HostService, the part that runs on the wire's thread: reads the viewer's messages, queues requests for Python, interrupts,
// starts tasks. thread: the wire's, without the GIL.
#include <fmt/format.h>
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <exception>
#include <new>
#include <string>
#include <string_view>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/base/clock.h"
#include "core/base/in_words.h"
#include "core/base/overloaded.h"
#include "core/wire/payload.h"
#include "embed/host/crash_guard.h"
#include "embed/host/host_service.h"
#include "embed/host/host_threads.h"
#include "embed/host/request_ends.h"

namespace dlscope::embed {

using core::monotonic_ns;
using core::wire::HostPhase;
using namespace std::chrono_literals;

namespace {

constexpr auto kBusyTick = 50ms;   // deferred interrupts, crash handlers taken away by libraries
constexpr int kInterruptRetries = 3;  // times that a system call is ended, one per tick
constexpr auto kIdleTick = 500ms;  // only to notice that the viewer has gone
constexpr auto kExitAfterViewer = 3s;
constexpr std::chrono::nanoseconds kCrashHandlerLimit = 2s;     // for the stacks that the crash handler writes
constexpr std::chrono::nanoseconds kRunWaitsForAnswer = 300ms;  // then the question is broken off
constexpr int kSendTries = 100;  // of an end that there is no memory for, each after kBetweenSendTries
constexpr auto kBetweenSendTries = 10ms;

bool may_run_user_code(HostPhase phase) {
  return phase == HostPhase::running || phase == HostPhase::scanning || phase == HostPhase::ending ||
         phase == HostPhase::answering || phase == HostPhase::windows || phase == HostPhase::acting;
}

// A message of the same kind that contains only the number with which every request begins. Allocates nothing.
core::wire::ToHost message_with_number(const core::wire::RawMessage& raw) {
  using namespace core::wire;
  PayloadReader in(raw.payload);
  static_cast<void>(in.number<std::uint16_t>());  // the version
  const auto number = in.number<std::uint64_t>();
  const auto is = [&]<class Message>(std::type_identity<Message>) {
    return raw.kind == kFirstKindToHost + ToHost(std::in_place_type<Message>).index();
  };
  ToHost message = Shutdown{};
  if (is(std::type_identity<Run>())) message.emplace<Run>().run = number;
  if (is(std::type_identity<Scan>())) message = Scan{number};
  if (is(std::type_identity<Ask>())) message.emplace<Ask>().id = number;
  if (is(std::type_identity<Start>())) message.emplace<Start>().id = number;
  return message;
}

}  // namespace

void HostService::serve() {
  core::wire::RawMessage raw;
  while (!thread_stops_) {
    const HostPhase now = phase();
    const bool rests = now == HostPhase::idle || now == HostPhase::stopped || now == HostPhase::crashed;
    reader_.wait(rests ? kIdleTick : kBusyTick);
    try {  // an exception that left this thread would end the user's process
      read_messages(raw);
      tick();
    } catch (const std::exception&) {  // std::bad_alloc: what was not read or done is so at the next pass
      std::this_thread::sleep_for(kBusyTick);
    }
  }
}

void HostService::read_messages(core::wire::RawMessage& raw) {
  while (!ring_broken_) {
    const auto got = reader_.read(raw);
    if (!got) {
      ring_broken_ = true;
      notice(got.error().message + ". This host takes no more requests: restart Python.");
    } else if (!*got) {
      break;
    } else {
      handle(raw);
    }
  }
}

void HostService::handle(const core::wire::RawMessage& raw) {
  core::wire::ToHost numbers = message_with_number(raw);
  std::array<char, 200> words;  // not on the heap: memory may have run out
  std::string_view why = core::kNotEnoughMemory;
  try {
    auto message = core::wire::decode_to_host(raw);
    if (!message) return notice("A request could not be read: " + message.error().message);
    using core::wire::Ask, core::wire::Run;
    if (const auto* run = std::get_if<Run>(&*message)) std::get<Run>(numbers).scan_after = run->scan_after;
    if (const auto* question = std::get_if<Ask>(&*message)) std::get<Ask>(numbers).kind = question->kind;
    return std::visit([this](auto& request) { handle_message(std::move(request)); }, *message);  // one overload for every kind
  } catch (const std::bad_alloc&) {  // it has not been queued
  } catch (const std::exception& error) {
    const auto end = fmt::format_to_n(words.data(), words.size(), "{}{}", core::kDlscopeFailed, error.what()).out;
    why = std::string_view(words.data(), static_cast<std::size_t>(end - words.data()));
  }
  const char* const python_error = why == core::kNotEnoughMemory ? "MemoryError" : "RuntimeError";
  for (int tries = 0; tries < kSendTries; ++tries) {
    try {
      for (const core::wire::ToViewer& end : ends_of_failed(numbers, python_error, why)) send(end);
      return;
    } catch (const std::bad_alloc&) {
      std::this_thread::sleep_for(kBetweenSendTries);
    }
  }
}

void HostService::queue(Request request) {
  const std::lock_guard lock(queueing_);
  requests_.put(std::move(request));
  sem_post(&wakeups_);
}

void HostService::handle_message(core::wire::Run run) { queue_before_questions(std::move(run)); }

void HostService::queue_before_questions(Request wanted) {
  std::vector<core::wire::Ask> put_off;
  {
    const std::lock_guard lock(queueing_);
    put_off = requests_.put_before_questions(std::move(wanted));
    if (phase() == HostPhase::answering && run_waits_since_ns_ == 0) run_waits_since_ns_ = monotonic_ns();
    sem_post(&wakeups_);
  }
  for (core::wire::Ask& question : put_off) refuse_as_busy(std::move(question));
}

void HostService::handle_message(core::wire::Ask question) {
  {
    const std::lock_guard lock(queueing_);
    const HostPhase now = phase();
    const bool takes = now != HostPhase::running && now != HostPhase::ending && now != HostPhase::crashed;
    if (takes && requests_.put_question(question, innermost_stop())) {
      sem_post(&wakeups_);
      return;
    }
  }
  refuse_as_busy(std::move(question));
}

// Must not fail for want of memory: the run that the question made way for is queued already, and would be reported as failed.
void HostService::refuse_as_busy(core::wire::Ask&& question) {
  send(core::wire::Answer{question.id, std::move(question.kind), {}, core::wire::kAnswerBusy});
}

void HostService::handle_message(const core::wire::Scan& scan) { queue(Request{scan}); }

bool HostService::cancel_queued(const core::wire::Interrupt& interrupt) {
  EndMessages ends;
  {
    const std::lock_guard lock(queueing_);
    const Request* const waiting = requests_.find(interrupt);
    if (waiting == nullptr) return false;
    ends = ends_of_interrupted(*waiting);  // before it is removed: where memory is out, it stays
    requests_.remove(interrupt);
    if (!requests_.has_run_or_resume()) run_waits_since_ns_ = 0;
    if (served_.act != 0) {  // it waited behind this, which the user wants to end, too
      stop_.request_stop();
      send_interrupt();
    }
  }
  for (const core::wire::ToViewer& end : ends) send(end);
  return true;
}

void HostService::handle_message(const core::wire::Interrupt& interrupt) {
  // A run that waits for a callback of the script's windows to end: nothing else leads to that callback, so it is what is
  // interrupted.
  const bool is_for_callback = interrupt.run != 0 && phase() == HostPhase::windows;
  if (!is_for_callback && cancel_queued(interrupt)) return;
  const std::lock_guard lock(queueing_);
  if (!is_for_callback && served_.means_another(interrupt)) return;
  const HostPhase now = phase();
  if (now == HostPhase::stopped && !stops_.empty()) {
    requests_.put(core::wire::Resume{stops_.back().stop, core::wire::ResumeKind::end_script, {}, 0});
    sem_post(&wakeups_);
    return;
  }
  if (now == HostPhase::acting && !stops_.empty()) {  // it ends the act, and then the script that stands behind it
    requests_.put(core::wire::Resume{stops_.back().stop, core::wire::ResumeKind::end_script, {}, 0});
    sem_post(&wakeups_);
  }
  stop_.request_stop();
  if (interruption_.possible && interrupt.attempt > 1) interruption_.repeated = true;
  if (may_run_user_code(now)) {
    send_interrupt();
  } else if (now != HostPhase::crashed && !requests_.empty()) {
    interruption_.deferred = true;  // asked for before the run began, meant for it
  }
}

void HostService::handle_message(const core::wire::Shutdown& shutdown) {
  if (crashed()) exit_by_crash_signal();
  end_waiting_acts("Python is leaving");
  queue(Request{shutdown});
}

void HostService::handle_message(core::wire::Start start) {
  auto work = task_or_act(std::move(start.work));
  std::visit(core::Overloaded{[&](const core::wire::TaskWork& task) { tasks_.start(start.id, task); },
                              [&](core::wire::ActWork& act) { queue(ActRequest{start.id, std::move(act)}); }},
             work);
}

void HostService::queue(ActRequest act) {
  std::string why = "the script's process has crashed";
  if (!crashed()) {
    const std::lock_guard lock(queueing_);
    if (requests_.put_act(act)) {
      sem_post(&wakeups_);
      return;
    }
    why = fmt::format("{} requests are already waiting for Python", RequestQueue::kMaxActs);
  }
  send(core::wire::WorkEnded{act.id, core::wire::WorkOutcome::failed, std::move(why), {}});
}

void HostService::handle_message(core::wire::Resume resume) { queue_before_questions(std::move(resume)); }

void HostService::handle_message(core::wire::SetBreakpoints breakpoints) { queue(Change{std::move(breakpoints)}); }

void HostService::handle_message(const core::wire::Pause& pause) { queue(Change{pause}); }

void HostService::queue(Change change) {
  {
    const std::lock_guard lock(queueing_);
    changes_.push_back(std::move(change));
    sem_post(&wakeups_);
  }
  wake_python_for_changes();
}

// Only while user code runs; otherwise next() returns ChangesWait.
void HostService::wake_python_for_changes() {
  if (phase() != HostPhase::running || wake_python_ == nullptr) return;
  {
    const std::lock_guard lock(queueing_);
    if (changes_.empty()) return;
  }
  wake_python_();
}

// A task ends at once; an act that still waits too. One that runs is interrupted, and its own end says whether that took effect.
void HostService::handle_message(const core::wire::Cancel& cancel) {
  if (tasks_.cancel(cancel.id)) return;
  bool waited = false;
  {
    const std::lock_guard lock(queueing_);
    waited = requests_.remove_act(cancel.id);
    if (!waited && served_.act == cancel.id && served_.act != 0) {
      served_.act_cancelled = true;
      stop_.request_stop();
      send_interrupt();
    }
  }
  if (waited) send(core::wire::WorkEnded{cancel.id, core::wire::WorkOutcome::cancelled, {}, {}});
}

void HostService::end_waiting_acts(const std::string& why) {
  std::vector<std::uint64_t> ended;
  {
    const std::lock_guard lock(queueing_);
    ended = requests_.remove_all_acts();
    if (crashed() && served_.act != 0) ended.push_back(std::exchange(served_.act, 0));
  }
  for (const std::uint64_t id : ended) send(core::wire::WorkEnded{id, core::wire::WorkOutcome::failed, why, {}});
}

void HostService::interrupt() {
  const std::lock_guard lock(queueing_);
  send_interrupt();
}

// Python notes a signal and calls its handler, in the main thread, between two instructions. One that comes just before a system
// call begins (a sleep, a lock, a wait for a child) would be noticed when that call ends: after a tick such a call is ended, and
// Python looks. At the stop of another thread the main thread may stand, too, or be in C code that ends when the stop is over.
void HostService::send_interrupt() {
  if (!stops_.empty() && !stops_.back().is_of_main_thread) {
    interruption_.deferred = interruption_.possible.load();  // until it has reached that thread
    if (interruption_.deferred && interrupt_thread_ != nullptr) interrupt_thread_();
    return;
  }
  interruption_.retries_left = kInterruptRetries;
  pthread_kill(main_thread_, SIGINT);
}

void HostService::tick() {
  const HostPhase now = phase();
  if (crashed() && crash_seen_ns_ == 0) {
    crash_seen_ns_ = monotonic_ns();
    end_waiting_acts("the script's process has crashed");
  }
  if (crash_seen_ns_ != 0 && monotonic_ns() - crash_seen_ns_ > kCrashHandlerLimit.count()) finish_crash_record();
  if (may_run_user_code(now)) {
    reinstall_crash_guard();
    const std::lock_guard lock(queueing_);  // end_answering() waits until the signal is sent
    if (interruption_.retries_left > 0) {
      --interruption_.retries_left;
      end_system_call(main_thread_);
    }
    const bool run_waits = run_waits_since_ns_ != 0 && monotonic_ns() - run_waits_since_ns_ > kRunWaitsForAnswer.count();
    if (run_waits && phase() == HostPhase::answering) {
      run_waits_since_ns_ = monotonic_ns();  // once more later: it may have been swallowed
      stop_.request_stop();
      send_interrupt();
    } else if (interruption_.possible && interruption_.deferred.exchange(false)) {
      send_interrupt();
    }
  }
  sender_.write_kept();
  wake_python_for_changes();
  const std::int64_t leave_at = exit_at_ns_;
  if (leave_at != 0 && monotonic_ns() > leave_at) {
    if (crashed()) exit_by_crash_signal();
    _exit(0);
  }
  if (!viewer_gone_handled_ && (region_->header().viewer_gone.load() != 0 || getppid() != viewer_)) exit_without_viewer();
}

// The viewer has gone: interrupts what runs and ends the process soon.
void HostService::exit_without_viewer() {
  viewer_gone_handled_ = true;
  if (crashed()) exit_by_crash_signal();
  if (phase() == HostPhase::running) interrupt();
  queue(Request{core::wire::Shutdown{}});
  exit_within(kExitAfterViewer);
}

}  // namespace dlscope::embed
