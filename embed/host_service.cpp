#include "embed/host_service.h"

#include <fmt/core.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <ctime>
#include <string>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "core/base/build_id.h"
#include "core/base/clock.h"
#include "core/wire/snapshot_codec.h"
#include "embed/host_crash.h"

namespace dlscope::embed {

using core::monotonic_ns;
using core::wire::HostPhase;
using namespace std::chrono_literals;

namespace {

constexpr auto kBusyTick = 50ms;   // deferred interrupts, crash handlers taken away by libraries
constexpr auto kIdleTick = 500ms;  // only: is the viewer still there
constexpr auto kRoomInRing = 5s;   // how long a message waits for a viewer that does not read
constexpr auto kAloneAfterViewer = 3s;
constexpr std::chrono::nanoseconds kRunWaitsForAnswer = 300ms;  // then the question is broken off
constexpr std::chrono::nanoseconds kBetweenStarts = 10ms;       // of a thread that the system does not give
constexpr int kMostFailedStarts = 30;                           // while Python waits for nothing: pending calls slow it down
constexpr std::size_t kMostQueued = 64;                         // with questions among them

std::atomic<bool> forked_child{false};

bool may_run_user_code(HostPhase phase) {
  return phase == HostPhase::running || phase == HostPhase::scanning || phase == HostPhase::ending ||
         phase == HostPhase::answering || phase == HostPhase::windows;
}

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

// Signals are for the main thread; a fault belongs to whoever met it.
void block_signals_but_faults() {
  sigset_t set;
  sigfillset(&set);
  for (const int fault : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT}) sigdelset(&set, fault);
  pthread_sigmask(SIG_SETMASK, &set, nullptr);
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

  if (!service->start_thread()) {
    return core::fail(core::ErrorKind::environment, "the system lets this user start no more threads (RLIMIT_NPROC)");
  }
  service->send(hello);
  return service;
}

bool HostService::start_thread() {
  sigset_t before;
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);  // the new thread inherits it: no signal slips through at its start
  thread_stops_ = false;
  try {
    thread_ = std::thread([this] {
      block_signals_but_faults();
      pthread_setname_np(pthread_self(), "dlscope-wire");
      thread_id_ = gettid();
      serve();
    });
  } catch (const std::system_error&) {  // EAGAIN; thread_ stays without one
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return thread_.joinable();
}

void HostService::before_fork() {
  next_start_ns_ = failed_starts_ = 0;  // each fork is a new reason to try
  if (crashed() || listen_again() != Restart::done) return;
  thread_stops_ = true;
  reader_.wake();
  thread_.join();
  // The kernel counts a thread for a moment longer than join() waits for it.
  const std::string task = fmt::format("/proc/self/task/{}", thread_id_.load());
  for (int look = 0; look < 100 && access(task.c_str(), F_OK) == 0; ++look) std::this_thread::sleep_for(100us);
}

HostService::Restart HostService::listen_again() {
  if (thread_.joinable()) return Restart::done;
  const std::int64_t now = monotonic_ns();
  if (now < next_start_ns_) return Restart::later;
  if (start_thread()) {
    next_start_ns_ = failed_starts_ = 0;
    return Restart::done;
  }
  next_start_ns_ = now + kBetweenStarts.count();
  if (++failed_starts_ < kMostFailedStarts) return Restart::later;
  if (failed_starts_ == kMostFailedStarts) {
    notice(
        "Stop does not work at the moment: under the limit of this user's processes and threads (RLIMIT_NPROC) a child process "
        "took the place of the thread that listens for it. The next try is when the script forks again or has ended.");
  }
  return Restart::given_up;
}

HostService::HostService(std::unique_ptr<core::wire::Region> region)
    : region_(std::move(region)),
      reader_(region_->to_host_reader()),
      writer_(region_->to_viewer_writer()),
      main_thread_(pthread_self()),
      viewer_(getppid()) {
  sem_init(&wakeups_, 0, 0);
}

// ---- main thread ----

std::optional<HostService::Request> HostService::next(std::optional<std::chrono::milliseconds> at_most) {
  {
    const std::lock_guard lock(queueing_);
    if (requests_.empty()) {
      interruptible_ = false;
      interrupt_deferred_ = false;
      set_phase(HostPhase::idle);
    }
  }
  if (!wait_for(wakeups_, at_most)) return std::nullopt;

  std::optional<Request> request = take_request();
  if (request) {
    if (const auto* run = std::get_if<core::wire::Run>(&*request)) send(core::wire::RunStarted{run->run});
  }
  return request;
}

std::optional<HostService::Request> HostService::take_request() {
  const std::lock_guard lock(queueing_);
  if (requests_.empty()) return std::nullopt;
  Request request = std::move(requests_.front());
  requests_.pop_front();
  interruptible_ = true;  // from here on Stop belongs to this request
  if (const auto* run = std::get_if<core::wire::Run>(&request)) {
    region_->header().run = run->run;
    run_waits_since_ns_ = 0;
    set_phase(HostPhase::running);
  } else if (std::holds_alternative<core::wire::Ask>(request)) {
    set_phase(HostPhase::answering);
  } else if (std::holds_alternative<core::wire::Scan>(request)) {
    set_phase(HostPhase::scanning);
  } else {
    set_phase(HostPhase::ending);
  }
  return request;
}

void HostService::nothing_to_interrupt() {
  interruptible_ = false;
  interrupt_deferred_ = false;
  stop_insists_ = false;
  told_of_import_ = false;
}

void HostService::end_answering() {
  {
    const std::lock_guard lock(queueing_);  // whoever interrupts a question holds it
    nothing_to_interrupt();
    if (phase() == HostPhase::answering) set_phase(HostPhase::idle);
  }
  sched_yield();  // a signal sent before is delivered at the latest on the way back from here
}

bool HostService::begin_windows() {
  const std::lock_guard lock(queueing_);
  if (!requests_.empty()) return false;
  interruptible_ = true;
  set_phase(HostPhase::windows);
  return true;
}

void HostService::end_windows() {
  {
    const std::lock_guard lock(queueing_);
    nothing_to_interrupt();
    set_phase(HostPhase::idle);
  }
  sched_yield();
}

std::stop_token HostService::begin_scan() {
  const std::lock_guard lock(queueing_);
  set_phase(HostPhase::scanning);
  interruptible_ = true;  // a scan calls into the user's classes
  scan_stop_ = std::stop_source();
  return scan_stop_.get_token();
}

void HostService::defer_interrupt() { interrupt_deferred_ = true; }

void HostService::defer_interrupt_for_import(std::string_view module) {
  defer_interrupt();
  if (std::exchange(told_of_import_, true)) return;
  notice(
      fmt::format("Stop waits until the import of {} is over: cut short, it may not be importable again before Python is "
                  "restarted. Stop once more to break it off.",
                  module));
}

void HostService::leave_within(std::chrono::milliseconds time) {
  leave_at_ns_ = monotonic_ns() + std::chrono::nanoseconds(time).count();
}

// ---- any thread ----

bool HostService::send(const core::wire::ToViewer& message) {
  const core::wire::RawMessage raw = core::wire::encode(message);
  const auto give_up = std::chrono::steady_clock::now() + kRoomInRing;
  while (!crashed() && !is_forked_child()) {
    {
      const std::lock_guard lock(writing_);
      if (writer_.write(raw.kind, raw.payload)) return true;
    }
    if (std::chrono::steady_clock::now() > give_up || raw.payload.size() > core::wire::kMaxMessageBytes) return false;
    std::this_thread::sleep_for(2ms);
  }
  return false;
}

void HostService::notice(std::string_view text) { send(core::wire::Notice{std::string(text)}); }

void HostService::publish(const core::Snapshot& snapshot, core::Scanned scanned, std::uint64_t run) {
  if (is_forked_child()) return;
  std::size_t written = 0;
  {
    const std::lock_guard lock(publishing_);
    written = core::wire::encode_snapshot(snapshot, region_->begin_snapshot());
    if (written != 0) {
      send(core::wire::SnapshotReady{region_->publish_snapshot(written), run, scanned});
      return;
    }
  }
  notice(
      fmt::format("The scan found {} tensors, but their records ({} bytes) do not fit into the memory shared with the viewer: "
                  "the tables show the scan before.",
                  snapshot.tensors.size(), core::wire::encoded_size(snapshot)));
}

void HostService::set_phase(HostPhase phase) {
  if (!crashed()) region_->header().phase.store(static_cast<std::uint32_t>(phase), std::memory_order_release);
}

HostPhase HostService::phase() { return static_cast<HostPhase>(region_->header().phase.load(std::memory_order_acquire)); }

// ---- the wire's thread ----

void HostService::serve() {
  core::wire::RawMessage raw;
  while (!thread_stops_) {
    const HostPhase now = phase();
    reader_.wait(now == HostPhase::idle || now == HostPhase::crashed ? kIdleTick : kBusyTick);
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
    tick();
  }
}

void HostService::handle(const core::wire::RawMessage& raw) {
  auto message = core::wire::decode_to_host(raw);
  if (!message) {
    notice("A request could not be read: " + message.error().message);
  } else if (auto* run = std::get_if<core::wire::Run>(&*message)) {
    handle_run(std::move(*run));
  } else if (auto* question = std::get_if<core::wire::Ask>(&*message)) {
    handle_ask(std::move(*question));
  } else if (const auto* scan = std::get_if<core::wire::Scan>(&*message)) {
    queue(*scan);
  } else if (const auto* stop = std::get_if<core::wire::Stop>(&*message)) {
    handle_stop(*stop);
  } else {
    handle_shutdown();
  }
}

void HostService::queue(Request request) {
  const std::lock_guard lock(queueing_);
  requests_.push_back(std::move(request));
  sem_post(&wakeups_);
}

// What the user wants run goes before what the window would like to know.
void HostService::handle_run(core::wire::Run run) {
  std::vector<core::wire::Ask> put_off;
  {
    const std::lock_guard lock(queueing_);
    std::erase_if(requests_, [&](Request& request) {
      auto* question = std::get_if<core::wire::Ask>(&request);
      if (question != nullptr) put_off.push_back(std::move(*question));
      return question != nullptr;
    });
    requests_.push_back(std::move(run));
    if (phase() == HostPhase::answering && run_waits_since_ns_ == 0) run_waits_since_ns_ = monotonic_ns();
    sem_post(&wakeups_);
  }
  for (const core::wire::Ask& question : put_off) refuse_as_busy(question);
}

void HostService::handle_ask(core::wire::Ask question) {
  {
    const std::lock_guard lock(queueing_);
    const HostPhase now = phase();
    const bool run_waits = std::any_of(requests_.begin(), requests_.end(), [](const Request& request) {
      return std::holds_alternative<core::wire::Run>(request) || std::holds_alternative<core::wire::Shutdown>(request);
    });
    const bool takes = now != HostPhase::running && now != HostPhase::ending && now != HostPhase::crashed;
    if (takes && !run_waits && requests_.size() < kMostQueued) {
      requests_.push_back(std::move(question));
      sem_post(&wakeups_);
      return;
    }
  }
  refuse_as_busy(question);
}

void HostService::refuse_as_busy(const core::wire::Ask& question) {
  send(core::wire::Answer{question.id, question.kind, {}, core::wire::kAnswerBusy});
}

void HostService::handle_stop(const core::wire::Stop& stop) {
  const std::lock_guard lock(queueing_);
  scan_stop_.request_stop();
  if (interruptible_ && stop.attempt > 1) stop_insists_ = true;
  const HostPhase now = phase();
  if (may_run_user_code(now)) {
    interrupt_main();
  } else if (now != HostPhase::crashed && !requests_.empty()) {
    interrupt_deferred_ = true;  // asked for before the run began, meant for it
  }
}

void HostService::handle_shutdown() {
  if (crashed()) die_of_crash();
  queue(core::wire::Shutdown{});
}

void HostService::interrupt_main() { pthread_kill(main_thread_, SIGINT); }

void HostService::tick() {
  const HostPhase now = phase();
  if (may_run_user_code(now)) {
    keep_crash_guard();
    const std::lock_guard lock(queueing_);  // end_answering() waits until the signal is sent
    const bool run_waits = run_waits_since_ns_ != 0 && monotonic_ns() - run_waits_since_ns_ > kRunWaitsForAnswer.count();
    if (run_waits && phase() == HostPhase::answering) {
      run_waits_since_ns_ = monotonic_ns();  // once more later: it may have been swallowed
      interrupt_main();
    } else if (interruptible_ && interrupt_deferred_.exchange(false)) {
      interrupt_main();
    }
  }
  const std::int64_t leave_at = leave_at_ns_;
  if (leave_at != 0 && monotonic_ns() > leave_at) {
    if (crashed()) die_of_crash();
    _exit(0);
  }
  if (!viewer_missed_ && (region_->header().viewer_gone.load() != 0 || getppid() != viewer_)) leave_without_viewer();
}

// Whatever runs gets a KeyboardInterrupt and a little time; nobody is left to look at it.
void HostService::leave_without_viewer() {
  viewer_missed_ = true;
  if (crashed()) die_of_crash();
  if (phase() == HostPhase::running) interrupt_main();
  queue(core::wire::Shutdown{});
  leave_within(kAloneAfterViewer);
}

}  // namespace dlscope::embed
