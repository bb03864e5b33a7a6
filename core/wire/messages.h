// The messages between viewer and host: plain values, encoded as bytes without pointers. Every decoder is bounded, trusts no
// length, returns an error for anything malformed, and never throws. thread: any.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "core/base/result.h"
#include "core/inventory/record.h"
#include "core/inventory/run_outcome.h"
#include "core/wire/debugging.h"
#include "core/wire/raw_message.h"
#include "core/wire/work.h"

namespace dlscope::core::wire {

// ---- viewer -> host ----
struct Run {
  std::uint64_t run = 0;               // number of this run; each is greater than the one before
  std::string path;                    // script file, as given; "" when only source is given
  std::optional<std::string> source;   // text to run instead of the file's contents (from the editor, or -c CODE)
  std::vector<std::string> arguments;  // sys.argv[1:]
  std::string working_folder;          // absolute; "": the one the host was started in
  std::string module;                  // "pkg.train": run as `python -m` does; if path is set, the module must be that file
  bool fresh_namespace = true;         // false: run in the namespace of the previous run (console, run selection)
  bool scan_after = true;              // scan for tensors when the run has ended
  bool echo = false;                                     // true: print the value of a final expression, as a console does
  StatisticsMethod statistics = StatisticsMethod::none;  // to compute for every tensor found by that scan
  std::string stop_at;             // "[FILE:]LINE[#HIT]" or "NAME:return": scan there, then end the script; "": run to the end
  bool interactive_stops = false;  // true: breakpoint() and dlscope.stop() suspend the code until the viewer sends Resume
  std::uint64_t stop = 0;          // not 0: console code, to be run in a frame of that stop (core/wire/debugging.h)
  std::uint32_t frame = 0;         // index into Stopped::frames
};
struct Scan {
  std::uint64_t request = 0;  // chosen by the viewer, not 0; returned in ScanFinished
};
// Interrupts what runs: SIGINT to the main thread if it runs user code; deferred during an import. At a stop where nothing runs it
// ends the script.
struct Interrupt {
  std::uint32_t attempt = 1;
  // At most one is not 0: what is to be interrupted. If that has ended by the time the host reads this, nothing happens, so that a
  // Stop for an expression that is evaluated at a stop never ends the script that stands there.
  std::uint64_t question = 0;  // Ask::id
  std::uint64_t run = 0;       // Run::run of console code at a stop, or of a run whose start has not been told
  std::uint64_t scan = 0;      // Scan::request
};
struct Shutdown {};  // run atexit handlers, flush, _exit
// A question about the user's objects, answered on the main thread between statements. Every Ask gets exactly one Answer.
struct Ask {
  std::uint64_t id = 0;    // chosen by the viewer, increasing
  std::string kind, text;  // "complete", "is_complete", ...; text: JSON, at most kMaxQuestionBytes
};
// Starts a task or an act. Gets exactly one WorkEnded, also when the work fails or is cancelled.
struct Start {
  std::uint64_t id = 0;  // chosen by the viewer, increasing; tasks and acts share one sequence
  Work work;
};
// Cancels the work: at once if it is a task or still queued. An act that already runs is interrupted, and its WorkEnded says
// whether that took effect. No effect on work that has ended.
struct Cancel {
  std::uint64_t id = 0;
};

// ---- host -> viewer ----
// The first message of a host.
struct Hello {
  std::string build_id;
  std::int32_t pid = 0;
  std::string python_version, executable, prefix, base_prefix;
};
struct RunStarted {
  std::uint64_t run = 0;
};
struct RunFinished {
  std::uint64_t run = 0;
  RunOutcome outcome;
};
// complete: everything was scanned. stopped: Stop ended the scan; the snapshot holds what was found so far. failed: no snapshot.
enum class ScanResult : std::uint8_t { complete, stopped, failed };
struct SnapshotReady {
  std::uint64_t sequence = 0;  // argument for Region::take_snapshot()
  std::uint64_t run = 0;
  Scanned scanned = Scanned::none;
  bool python_threads = true;  // beside the main thread others run Python code, or may
};
// Sent exactly once per scan, after its SnapshotReady if there is one.
// request: that of the Scan; 0: the scan after a run or at a stop.
struct ScanFinished {
  std::uint64_t request = 0;
  ScanResult result = ScanResult::complete;
  std::string message;  // with failed: why
};
// A text for the user: what happened, why, what to do.
struct Notice {
  std::string text;
};

struct Progress {
  std::uint64_t id = 0, done = 0, total = 0;  // done, total: in `unit`; total 0: unknown
  ProgressUnit unit = ProgressUnit::bytes;
};
struct Part {
  std::uint64_t id = 0;
  WorkPart part;
};
struct WorkEnded {
  std::uint64_t id = 0;
  WorkOutcome outcome = WorkOutcome::done;
  std::string message;  // failed: the reason. done: something the user should know, or ""
  WorkResult result;
};
// Sent when a lease changes its state. tensor: the leased tensor, in the newest snapshot that contains it.
struct LeaseChanged {
  std::uint64_t lease = 0;
  LeaseState state = LeaseState::gone;
  bool pinned = false;
  TensorRef tensor;
  std::string message;  // the reason for a change that the viewer did not ask for; else ""
};

// To the Ask with this id: text (JSON, or with kind "struct", "protocols", "remember" an encoded struct_answer.h, remembered_answer.h)
// or error: kAnswerBusy, kAnswerStopped or a message.
struct Answer {
  std::uint64_t id = 0;
  std::string kind, text, error;
};

inline constexpr std::size_t kMaxKindBytes = 64;
inline constexpr std::size_t kMaxQuestionBytes = std::size_t{1} << 20;
inline constexpr std::size_t kMaxAnswerBytes = std::size_t{2} << 20;
inline constexpr char kAnswerBusy[] = "busy";        // user code is running: ask again when the host is idle
inline constexpr char kAnswerStopped[] = "stopped";  // interrupted by Stop, or to let a waiting run begin

using ToHost = std::variant<Run, Scan, Interrupt, Shutdown, Ask, Start, Cancel, SetBreakpoints, Pause, Resume>;
using ToViewer = std::variant<Hello, RunStarted, RunFinished, SnapshotReady, ScanFinished, Notice, Answer, Progress, Part,
                              WorkEnded, LeaseChanged, BreakpointsChanged, Stopped, Resumed>;

// RawMessage::kind is the first kind of its direction plus the index of the
// variant's alternative. The payload starts with the version of the encoding.
inline constexpr std::uint16_t kFirstKindToHost = 1;
inline constexpr std::uint16_t kFirstKindToViewer = 0x101;
inline constexpr std::uint16_t kMessageVersion = 5;

// What is too long: the texts of a script error and of a notice are cut, with a mark, to
// what always fits the ring; an Answer that is too large becomes one whose error says so;
// a question longer than its bound is refused by the decoder. Other texts are not limited
// here: a Run whose source exceeds kMaxMessageBytes makes a message that RingWriter::write() refuses.
[[nodiscard]] RawMessage encode(const ToHost& message);
[[nodiscard]] RawMessage encode(const ToViewer& message);
[[nodiscard]] Result<ToHost> decode_to_host(const RawMessage& raw);
[[nodiscard]] Result<ToViewer> decode_to_viewer(const RawMessage& raw);

}  // namespace dlscope::core::wire
