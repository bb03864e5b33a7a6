// HostService: the host's end of the wire. Its thread ("the wire's thread") reads the viewer's messages, with all signals blocked
// and without ever taking the GIL, so that Stop works while Python hangs. It queues requests for the main thread, which runs
// Python. Uses no Python API. One per process, never destroyed; a forked child must not use it (is_forked_child).
#pragma once

#include <semaphore.h>

#include <atomic>
#include <chrono>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string_view>
#include <thread>
#include <variant>
#include <vector>

#include "core/inventory/snapshot.h"
#include "core/wire/message_sender.h"
#include "core/wire/messages.h"
#include "core/wire/region.h"
#include "embed/host/host_tasks.h"
#include "embed/host/request_queue.h"
#include "embed/host/served_request.h"

namespace dlscope::embed {

class HostService {
 public:
  // What may come while user code runs, and is meant for that code.
  using Change = std::variant<core::wire::SetBreakpoints, core::wire::Pause>;

  // thread: main; it becomes the one that Stop interrupts. Maps the region, closes `region_fd`, starts the wire's thread, sends
  // `hello`. Error, with a message for the user: no region, no thread, or viewer and host are of different builds.
  [[nodiscard]] static core::Result<HostService*> start(int region_fd, const core::wire::Hello& hello);

  // ---- thread: main; at a stop the stopped thread ----
  // The next request; the phase is idle (stopped at a stop) while it waits and fits the request when it returns (a run:
  // RunStarted was sent). A Resume, or a Run meant for a stop, may come too late: look at its number. What is served at a stop:
  // RequestQueue::take().
  // nullopt: the time is over, or a signal came: let its handler run and call again.
  [[nodiscard]] std::optional<Request> next(std::optional<std::chrono::milliseconds> at_most);
  // Around the callbacks of windows that user code left open, so that Stop can interrupt them. False: a request waits, run none.
  [[nodiscard]] bool begin_window_callbacks();
  void end_window_callbacks(bool ran);  // ran: there were events, so callbacks may have run
  void nothing_to_interrupt();  // no user code runs any more: Stop has no effect. The GIL may be held
  // How many stops are on, and the number of the innermost one; 0: none.
  struct StopPlace {
    std::size_t depth = 0;
    std::uint64_t number = 0;
  };
  [[nodiscard]] StopPlace stop_place();
  // Around a stop. Between the two, next() returns the requests that can be served at the stop; afterwards the run continues.
  void enter_stop(core::wire::Stopped stop);
  void leave_stop();
  // A request that was served at a stop has ended: from here on Stop means the stopped script. Call it before sending the end.
  void end_request_at_stop();
  [[nodiscard]] std::deque<Change> take_changes();
  // Ends the phase of an Ask that next() returned: a Stop meant for the question has no effect from here on. Send the answer
  // after it.
  void end_answering();
  // The same for an act; sends `end`, or, if the act was to be cancelled and `interrupted` says that this took effect,
  // WorkOutcome::cancelled.
  void end_act(core::wire::WorkEnded end, bool interrupted);
  [[nodiscard]] std::stop_token begin_scan();  // phase scanning
  // For a scan in the middle of a run. The token is a new one: an earlier Stop does not end the scan.
  [[nodiscard]] std::stop_token begin_scan_in_run();
  // Of the request that is being served: set by Stop, by Ctrl+C in the terminal, and for a question by a run that waits behind
  // it.
  [[nodiscard]] std::stop_token stop_token();
  void note_interrupt_taken();  // our handler of SIGINT was called, or KeyboardInterrupt was raised in the thread at a stop
  // Stop arrived where it must not act (an import, our own code): the signal is sent again until it does or
  // nothing_to_interrupt() says it is too late.
  void defer_interrupt();
  // The same because this module is being imported: the user is told, once per run.
  void defer_interrupt_for_import(std::string_view module);
  void report_import(std::string_view module);
  [[nodiscard]] bool interruptible() const { return interruption_.possible.load(); }
  [[nodiscard]] bool interrupt_repeated() const { return interruption_.repeated.load(); }  // asked twice: imports count no more
  // Ends the process with _exit() at the latest after this time, whatever hangs.
  void exit_within(std::chrono::milliseconds time);
  // Around os.fork(): the wire's thread is ended and started anew, so that a script without threads forks a process that has none
  // (from
  // 3.12 on Python warns of a fork with threads). Messages wait in the ring. The GIL is held.
  void before_fork();
  // Starts the wire's thread if there is none. later: the system gives no thread (RLIMIT_NPROC; the child takes its place); call
  // again soon. given_up: too many tries failed, and the user was told; call again when the situation may have changed.
  enum class Restart : std::uint8_t { done, later, given_up };
  Restart restart_wire_thread();
  [[nodiscard]] bool on_main_thread() const { return pthread_equal(pthread_self(), main_thread_) != 0; }

  // ---- any thread ----
  // Called on the wire's thread when a change came while user code runs, until it has been taken. Set once, before the first run.
  void on_change(void (*wake_python)()) { wake_python_ = wake_python; }
  // At a stop of another thread than the main one SIGINT reaches nothing: this is called instead, on the wire's thread, again and
  // again while interrupt_waits(). It must not wait for the GIL. Set once.
  void on_interrupt_of_thread(void (*interrupt_thread)()) { interrupt_thread_ = interrupt_thread; }
  // Whether what is being served is to be interrupted and has not been yet.
  [[nodiscard]] bool interrupt_waits() const { return interruption_.possible.load() && interruption_.deferred.load(); }
  void interrupt();  // interrupts what is being served
  // As MessageSender::send(): waits some seconds where the viewer makes no room, and then keeps the message.
  bool send(const core::wire::ToViewer& message, WhenFull when_full = WhenFull::wait);
  void notice(std::string_view text);
  // Encodes into the region, announces it with `ready` and its sequence, and keeps it for the tasks. False: it does not fit, and
  // the viewer was told.
  bool publish(const core::SnapshotPtr& snapshot, core::wire::SnapshotReady ready);
  [[nodiscard]] HostTasks& tasks() { return tasks_; }
  [[nodiscard]] core::wire::RegionHeader& header() { return region_->header(); }

  // True in a child made by fork(): the region is not mapped there and the threads are gone.
  [[nodiscard]] static bool is_forked_child();

 private:
  explicit HostService(std::unique_ptr<core::wire::Region> region);
  [[nodiscard]] bool start_thread();  // false: the system gives none
  void serve();
  void read_messages(core::wire::RawMessage& raw);
  void handle(const core::wire::RawMessage& raw);
  void handle_message(core::wire::Ask question);
  void handle_message(core::wire::Run run);
  void handle_message(const core::wire::Scan& scan);
  void handle_message(const core::wire::Interrupt& interrupt);
  void handle_message(const core::wire::Shutdown& shutdown);
  void handle_message(core::wire::Start start);
  void handle_message(const core::wire::Cancel& cancel);
  void handle_message(core::wire::SetBreakpoints breakpoints);
  void handle_message(const core::wire::Pause& pause);
  void handle_message(core::wire::Resume resume);
  void end_waiting_acts(const std::string& why);
  void tick();
  void exit_without_viewer();
  void queue(Request request);
  void queue(Change change);
  void queue(ActRequest act);
  void queue_before_questions(Request wanted);
  void wake_python_for_changes();
  [[nodiscard]] std::optional<Request> take_request();
  // Phase and numbers of the request that was taken. The caller holds queueing_.
  void begin_serving(const core::wire::Run& run);
  void begin_serving(const core::wire::Ask& question);
  void begin_serving(const ActRequest& act);
  void begin_serving(const core::wire::Scan& scan);
  void begin_serving(const core::wire::Shutdown& shutdown);
  void begin_serving(const core::wire::Resume& resume);
  void begin_serving(const ChangesWait& wait);
  void begin_interruptible();  // from here on Interrupt is meant for the request that was taken
  void refuse_as_busy(core::wire::Ask&& question);
  // True: what is to be interrupted was still queued; it is removed and answered. The caller does not hold queueing_.
  [[nodiscard]] bool cancel_queued(const core::wire::Interrupt& interrupt);
  void set_phase(core::wire::HostPhase phase);
  // Between requests. The caller holds queueing_.
  [[nodiscard]] core::wire::HostPhase waiting_phase() const;
  [[nodiscard]] core::wire::HostPhase phase();
  [[nodiscard]] std::uint64_t innermost_stop() const { return stops_.empty() ? 0 : stops_.back().stop; }  // likewise
  void send_interrupt();  // the caller holds queueing_

  std::unique_ptr<core::wire::Region> region_;
  core::wire::RingReader reader_;
  core::wire::MessageSender sender_;
  std::mutex publishing_;  // the region's snapshot slots
  std::mutex queueing_;    // requests_, changes_, stops_, stop_, served_, and the phase together with them
  // The state of the run that a stop suspends; restored when the stop is over.
  struct SuspendedRun {
    std::uint64_t stop = 0;  // number of the stop
    core::wire::HostPhase phase{};
    std::stop_source source;
    bool interruptible = false;
    bool is_of_main_thread = true;
  };
  RequestQueue requests_;
  std::deque<Change> changes_;
  std::vector<SuspendedRun> stops_;  // the innermost last
  std::stop_source stop_;
  ServedNumbers served_;
  std::int64_t run_waits_since_ns_ = 0;  // since when a Run or a Resume waits for a question to end; 0: none waits
  sem_t wakeups_{};                      // not a condition variable: sem_wait ends when a signal comes
  pthread_t main_thread_;
  std::thread thread_;
  std::atomic<bool> thread_stops_{false};
  std::atomic<pid_t> thread_id_{0};
  void (*wake_python_)() = nullptr;
  void (*interrupt_thread_)() = nullptr;
  std::int64_t next_start_ns_ = 0;  // when starting the wire's thread is tried again, after it has failed
  int failed_starts_ = 0;
  pid_t viewer_;
  Interruption interruption_;
  std::atomic<std::int64_t> exit_at_ns_{0};  // CLOCK_MONOTONIC; 0: stay
  bool ring_broken_ = false;
  bool viewer_gone_handled_ = false;
  std::int64_t crash_seen_ns_ = 0;  // when the wire's thread noticed a crash; 0: none
  HostTasks tasks_;
};

}  // namespace dlscope::embed
