#include "embed/host/host_service.h"

#include <fmt/core.h>
#include <pthread.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <ctime>
#include <string>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "core/base/blocked_signals.h"
#include "core/base/build_id.h"
#include "core/base/clock.h"
#include "core/base/own_threads.h"
#include "core/wire/snapshot_codec.h"
#include "embed/host/crash_guard.h"
#include "embed/host/host_threads.h"

namespace dlscope::embed {

using core::monotonic_ns;
using core::wire::HostPhase;
using namespace std::chrono_literals;

namespace {

constexpr std::chrono::nanoseconds kBetweenThreadStarts = 10ms;       // of a thread that the system does not give
constexpr int kMaxFailedThreadStarts = 30;                           // while Python waits for nothing: pending calls slow it down

std::atomic<bool> forked_child{false};

// False: the time is over, or a signal came.
bool wait_for(sem_t& semaphore, std::optional<std::chrono::milliseconds> at_most) {
  if (!at_most) return sem_wait(&semaphore) == 0;
  timespec until{};
  clock_gettime(CLOCK_MONOTONIC, &until);
  const auto nanoseconds = until.tv_nsec + std::chrono::nanoseconds(*at_most).count();
  until.tv_sec += nanoseconds / 1'000'000'000;
  until.tv_nsec = nanoseconds % 1'000'000'000;
  return sem_clockwait(&semaphore, CLOCK_MONOTONIC, &until) == 0;
}

core::wire::MessageSenderOptions sender_options() {
  core::wire::MessageSenderOptions options;
  options.is_over = [] { return HostService::is_forked_child(); };
  options.has_crashed = [] { return crashed(); };
  return options;
}

}  // namespace

bool HostService::is_forked_child() { return forked_child.load(std::memory_order_relaxed); }

core::Result<HostService*> HostService::start(int region_fd, const core::wire::Hello& hello) {
  auto region = core::wire::Region::attach(region_fd);
  if (!region) return std::unexpected(region.error());
  const auto& header = (*region)->header();
  const std::string theirs(header.build_id, strnlen(header.build_id, sizeof header.build_id));
  if (theirs != core::build_id()) {
    return core::fail(
        core::ErrorKind::unsupported,
        fmt::format("the viewer is build {}, this host is build {}: install both from one build", theirs, core::build_id()));
  }
  auto* service = new HostService(std::move(*region));  // lives as long as the process
  pthread_atfork(nullptr, nullptr, [] { forked_child.store(true, std::memory_order_relaxed); });

  prepare_to_end_system_calls();
  if (!service->start_thread()) {
    return core::fail(core::ErrorKind::environment, "the system lets this user start no more threads (RLIMIT_NPROC)");
  }
  service->send(hello);
  return service;
}

bool HostService::start_thread() {
  thread_stops_ = false;
  try {
    const core::BlockedSignals blocked;  // the new thread inherits it: no signal slips through at its start
    thread_ = std::thread([this] {
      begin_own_thread();
      pthread_setname_np(pthread_self(), core::kWireThread);
      thread_id_ = gettid();
      tasks_.resume();
      serve();
    });
  } catch (const std::system_error&) {  // EAGAIN; thread_ stays without one
  }
  return thread_.joinable();
}

void HostService::before_fork() {
  next_start_ns_ = failed_starts_ = 0;  // each fork is a new reason to try
  if (crashed() || restart_wire_thread() != Restart::done) return;
  thread_stops_ = true;
  reader_.wake();
  thread_.join();
  wait_until_thread_is_gone(thread_id_);
  tasks_.pause();
}

HostService::Restart HostService::restart_wire_thread() {
  if (thread_.joinable()) return Restart::done;
  const std::int64_t now = monotonic_ns();
  if (now < next_start_ns_) return Restart::later;
  if (start_thread()) {
    next_start_ns_ = failed_starts_ = 0;
    return Restart::done;
  }
  next_start_ns_ = now + kBetweenThreadStarts.count();
  if (++failed_starts_ < kMaxFailedThreadStarts) return Restart::later;
  if (failed_starts_ == kMaxFailedThreadStarts) {
    notice(
        "Stop does not work at the moment: under the limit of this user's processes and threads (RLIMIT_NPROC) a child process "
        "took the place of the thread that listens for it. The next try is when the script forks again or has ended.");
  }
  return Restart::given_up;
}

HostService::HostService(std::unique_ptr<core::wire::Region> region)
    : region_(std::move(region)),
      reader_(region_->to_host_reader()),
      sender_(region_->to_viewer_writer(), sender_options()),
      main_thread_(pthread_self()),
      viewer_(getppid()),
      tasks_([this](const core::wire::ToViewer& message, WhenFull when_full) { return send(message, when_full); },
             [this] { return phase(); }) {
  sem_init(&wakeups_, 0, 0);
}

// ---- main thread ----

std::optional<Request> HostService::next(std::optional<std::chrono::milliseconds> at_most) {
  {
    const std::lock_guard lock(queueing_);
    if (!requests_.has_one_to_serve(innermost_stop())) {
      interruption_.possible = false;
      interruption_.deferred = false;
      served_.forget_last(!stops_.empty());
      set_phase(waiting_phase());
    }
  }
  if (!wait_for(wakeups_, at_most)) return std::nullopt;

  std::optional<Request> request = take_request();
  if (request) {
    if (const auto* run = std::get_if<core::wire::Run>(&*request)) send(core::wire::RunStarted{run->run});
  }
  return request;
}

std::optional<Request> HostService::take_request() {
  const std::lock_guard lock(queueing_);
  if (!changes_.empty()) return ChangesWait{};
  std::optional<Request> request = requests_.take(innermost_stop());
  if (request) std::visit([this](const auto& taken) { begin_serving(taken); }, *request);  // one overload for every kind
  return request;
}

void HostService::begin_serving(const core::wire::Run& run) {
  begin_interruptible();
  (run.stop != 0 ? served_.frame_run : served_.run) = run.run;
  if (run.stop == 0 || stops_.empty()) region_->header().run = run.run;
  run_waits_since_ns_ = 0;
  set_phase(HostPhase::running);
}

void HostService::begin_serving(const core::wire::Ask& question) {
  begin_interruptible();
  served_.question = question.id;
  set_phase(HostPhase::answering);
}

void HostService::begin_serving(const ActRequest& act) {
  begin_interruptible();
  served_.act = act.id;
  served_.act_cancelled = false;
  set_phase(HostPhase::acting);
}

void HostService::begin_serving(const core::wire::Scan& scan) {
  begin_interruptible();
  served_.scan = scan.request;
  set_phase(HostPhase::scanning);
}

void HostService::begin_serving(const core::wire::Shutdown&) {
  if (!stops_.empty()) return;  // served when the script has ended
  begin_interruptible();
  set_phase(HostPhase::ending);
}

void HostService::begin_serving(const core::wire::Resume&) { run_waits_since_ns_ = 0; }

void HostService::begin_serving(const ChangesWait&) {}

void HostService::begin_interruptible() {
  interruption_.possible = true;
  stop_ = std::stop_source();
  served_.forget_last(!stops_.empty());
}

void HostService::enter_stop(core::wire::Stopped stop) {
  {
    const std::lock_guard lock(queueing_);
    stops_.push_back({stop.stop, phase(), stop_, interruption_.possible, on_main_thread()});
    interruption_.forget();
    set_phase(HostPhase::stopped);
    sem_post(&wakeups_);  // for what waited behind the run and may be served now
  }
  sched_yield();
  send(stop);
}

void HostService::leave_stop() {
  core::wire::Resumed resumed;
  {
    const std::lock_guard lock(queueing_);
    if (stops_.empty()) return;
    SuspendedRun suspended = std::move(stops_.back());
    stops_.pop_back();
    resumed.stop = suspended.stop;
    stop_ = std::move(suspended.source);
    interruption_.possible = suspended.interruptible;
    set_phase(suspended.phase);
    for (std::size_t i = 0; i < requests_.size(); ++i) sem_post(&wakeups_);  // their own wake-ups were used up at the stop
  }
  send(resumed);
}

HostService::StopPlace HostService::stop_place() {
  const std::lock_guard lock(queueing_);
  return {stops_.size(), innermost_stop()};
}

void HostService::end_request_at_stop() {
  {
    const std::lock_guard lock(queueing_);
    served_.frame_run = served_.scan = 0;
    if (stops_.empty()) return;
    interruption_.forget();
    set_phase(HostPhase::stopped);
  }
  sched_yield();
}

std::deque<HostService::Change> HostService::take_changes() {
  const std::lock_guard lock(queueing_);
  return std::exchange(changes_, {});
}

void HostService::nothing_to_interrupt() {
  const std::lock_guard lock(queueing_);
  interruption_.forget();
}

void HostService::end_answering() {
  {
    const std::lock_guard lock(queueing_);  // whoever interrupts a question holds it
    interruption_.forget();
    served_.question = 0;
    if (phase() == HostPhase::answering) set_phase(waiting_phase());
  }
  sched_yield();  // a signal sent before is delivered at the latest on the way back from here
}

void HostService::end_act(core::wire::WorkEnded end, bool interrupted) {
  {
    const std::lock_guard lock(queueing_);
    interruption_.forget();
    served_.act = 0;
    if (interrupted && served_.act_cancelled) end = {end.id, core::wire::WorkOutcome::cancelled, {}, {}};
    if (phase() == HostPhase::acting) set_phase(waiting_phase());
  }
  sched_yield();
  send(end);
}

bool HostService::begin_window_callbacks() {
  const std::lock_guard lock(queueing_);
  if (!requests_.empty()) return false;
  interruption_.possible = true;
  set_phase(HostPhase::windows);
  return true;
}

void HostService::end_window_callbacks(bool ran) {
  if (ran) ++region_->header().window_turns;
  {
    const std::lock_guard lock(queueing_);
    interruption_.forget();
    set_phase(HostPhase::idle);
  }
  sched_yield();
}

std::stop_token HostService::begin_scan() {
  const std::lock_guard lock(queueing_);
  set_phase(HostPhase::scanning);
  interruption_.possible = true;  // a scan calls into the user's classes
  stop_ = std::stop_source();
  return stop_.get_token();
}

std::stop_token HostService::begin_scan_in_run() {
  const std::lock_guard lock(queueing_);
  stop_ = std::stop_source();
  return stop_.get_token();
}

std::stop_token HostService::stop_token() {
  const std::lock_guard lock(queueing_);
  return stop_.get_token();
}

void HostService::note_interrupt_taken() {
  interruption_.retries_left = 0;
  const std::lock_guard lock(queueing_);
  interruption_.deferred = false;
  stop_.request_stop();
}

void HostService::defer_interrupt() { interruption_.deferred = true; }

void HostService::defer_interrupt_for_import(std::string_view module) {
  defer_interrupt();
  report_import(module);
}

void HostService::report_import(std::string_view module) {
  if (interruption_.import_reported.exchange(true)) return;
  notice(
      fmt::format("Stop waits until the import of {} is over: cut short, it may not be importable again before Python is "
                  "restarted. Stop once more to interrupt it.",
                  module));
}

void HostService::exit_within(std::chrono::milliseconds time) {
  exit_at_ns_ = monotonic_ns() + std::chrono::nanoseconds(time).count();
}

// ---- any thread ----

bool HostService::send(const core::wire::ToViewer& message, WhenFull when_full) { return sender_.send(message, when_full); }

void HostService::notice(std::string_view text) { send(core::wire::Notice{std::string(text)}); }

bool HostService::publish(const core::SnapshotPtr& snapshot, core::wire::SnapshotReady ready) {
  if (is_forked_child()) return false;
  {
    const std::lock_guard lock(publishing_);
    const std::span<std::byte> room = region_->begin_snapshot();
    std::size_t written = core::wire::encode_snapshot(*snapshot, room);
    if (written == 0) {  // a region that the limits of the process kept small
      const core::SnapshotPtr cut = core::wire::cut_to_fit(*snapshot, room.size());
      written = cut ? core::wire::encode_snapshot(*cut, room) : 0;
    }
    if (written != 0) {
      tasks_.keep(snapshot);  // before the viewer can name it
      ready.sequence = region_->publish_snapshot(written);
      send(ready);
      return true;
    }
  }
  notice(
      fmt::format("The scan found {} tensors, but their records ({} bytes) do not fit into the memory shared with the viewer: "
                  "the tables show the scan before.",
                  snapshot->tensors.size(), core::wire::encoded_size(*snapshot)));
  return false;
}

void HostService::set_phase(HostPhase phase) {
  if (crashed() || is_forked_child()) return;  // the child has no region
  region_->header().phase.store(static_cast<std::uint32_t>(phase), std::memory_order_release);
}

HostPhase HostService::waiting_phase() const { return stops_.empty() ? HostPhase::idle : HostPhase::stopped; }

HostPhase HostService::phase() {
  if (is_forked_child()) return HostPhase::idle;
  return static_cast<HostPhase>(region_->header().phase.load(std::memory_order_acquire));
}

}  // namespace dlscope::embed
