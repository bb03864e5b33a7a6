// HostClient: the viewer's side of a host process: starts it, talks to it, stops it, and outlives its crash. Owns the child
// process, the shared region, the wire thread and, in a window, the pseudo-terminal of the host's streams.
// thread: every method may be called from the UI thread and returns at once; events are queued and drained there.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "app/host/python_finder.h"
#include "core/base/result.h"
#include "core/inventory/snapshot.h"
#include "core/wire/messages.h"
#include "core/wire/region.h"

namespace dlscope::app {

struct HostLaunch {
  PythonChoice python;
  bool terminal = false;          // true: standard streams are a pseudo-terminal, text arrives as HostOutput
  bool stdout_to_stderr = false;  // headless with --report -: the script's standard output goes to our standard error
  std::string working_directory;  // "" = ours
};

// Events from the host, in order.
struct HostReady {
  core::wire::Hello hello;
};
struct HostOutput {
  std::string text;
};  // raw bytes of the pseudo-terminal
using HostRunStarted = core::wire::RunStarted;
using HostRunFinished = core::wire::RunFinished;
struct HostSnapshot {
  core::SnapshotPtr snapshot;
  core::Scanned scanned = core::Scanned::none;
  bool python_threads = true;  // as of wire::SnapshotReady
};
using HostNotice = core::wire::Notice;
// The answer to a question; `error` is one of wire::kAnswer..., HostLink's "gone", or a message.
struct HostAnswer {
  core::wire::Answer answer;
};
// Callbacks of windows that the script left open have run since the last snapshot; said once for each snapshot.
struct HostWindowsRan {};
using HostScanFinished = core::wire::ScanFinished;
// Of tasks and acts (core/wire/work.h). They come after a crash, too: tasks go on reading the memory of the parked process.
using HostProgress = core::wire::Progress;
using HostPart = core::wire::Part;
using HostWorkEnded = core::wire::WorkEnded;
using HostLease = core::wire::LeaseChanged;
// Of stops (core/wire/debugging.h).
using HostBreakpoints = core::wire::BreakpointsChanged;
using HostAtStop = core::wire::Stopped;
using HostResumed = core::wire::Resumed;
// The host process is parked after a fatal signal: Python sends no more events, only tasks do, and later HostEnded.
struct HostCrashed {
  int signal = 0;
  std::uint64_t fault_address = 0;
  std::string library, python_stack;
  core::CrashFacts facts = {};  // without `where`, which needs a snapshot
  bool stack_on_stderr = false;  // the host has printed it there already
};
struct HostEnded {
  std::optional<int> exit_code;
  std::optional<int> signal;
  std::string why;
};  // why: a message, when it never became ready
using HostEvent = std::variant<HostReady, HostOutput, HostRunStarted, HostRunFinished, HostSnapshot, HostScanFinished, HostNotice,
                               HostAnswer, HostProgress, HostPart, HostWorkEnded, HostLease, HostBreakpoints, HostAtStop,
                               HostResumed, HostWindowsRan, HostCrashed, HostEnded>;

class HostClient {
 public:
  // Forks and execs; returns once the child exists (milliseconds). wake: called from threads of the client when events were
  // queued.
  [[nodiscard]] static core::Result<std::unique_ptr<HostClient>> start(const HostLaunch& launch, std::function<void()> wake);
  ~HostClient();  // kills it if it still runs; one that does not die within seconds is left behind

  // Requests; false when the host cannot take them (gone, ring full).
  bool run(core::wire::Run request);
  bool scan(std::uint64_t request = 0);
  bool ask(core::wire::Ask question);  // false also when the question is too long
  bool start_work(core::wire::Start work);
  void cancel(std::uint64_t work);
  bool set_breakpoints(core::wire::SetBreakpoints breakpoints);
  bool pause();  // stops before the next line of the user's code
  bool resume(core::wire::Resume resume);
  void interrupt(core::wire::Interrupt request = {});  // its attempt is counted here: call again to insist
  void kill();  // SIGKILL to the host, now, and to all it started, once it is gone
  // After HostEnded of a host that ended by itself: kills the children it left behind. May take a second. Returns how many of them
  // are left: processes of another user, or that hang in the kernel.
  std::size_t end_remaining_processes();
  // Asks it to exit by itself (atexit functions, non-daemon threads); killed when that takes longer than at_most (nullopt: no
  // limit).
  void shutdown(std::optional<std::chrono::milliseconds> at_most = std::chrono::milliseconds{5000});
  // Types into the pseudo-terminal (input()). False: its buffer of a few KiB is full, the rest was dropped.
  bool write_input(const std::string& text);
  [[nodiscard]] bool terminal_echoes() const;

  // Events since the last call, oldest first. Does not block.
  [[nodiscard]] std::vector<HostEvent> drain();
  // Waits until something was queued or the time is over (headless).
  void wait(std::chrono::milliseconds at_most);

  [[nodiscard]] core::wire::HostPhase phase() const;
  // True when the host is idle and all it sent before has been queued: no event of a run is still under way.
  [[nodiscard]] bool settled() const;
  [[nodiscard]] pid_t pid() const;

 private:
  struct Impl;
  explicit HostClient(std::shared_ptr<Impl> impl);
  std::shared_ptr<Impl> impl_;
};

}  // namespace dlscope::app
