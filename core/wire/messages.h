// The messages between viewer and host: plain values with an encoding that could travel a socket. Every decoder is
// bounded and fails on anything it does not understand (Result), never throws, never trusts a length.
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
  std::uint64_t run = 0;               // number of this run; rises
  std::string path;                    // script file, as given; "" with code
  std::optional<std::string> source;   // text to run instead of the file's (an editor's, or -c CODE)
  std::vector<std::string> arguments;  // sys.argv[1:]
  std::string working_folder;          // absolute; "": the one the host was started in
  std::string module;                  // "pkg.train": run as `python -m` does; with a path, the module has to be that file
  bool fresh_namespace = true;         // false: in the namespace the last run left (console, run selection)
  bool scan_after = true;
  bool echo = false;                                     // true: print the value of a final expression, as a console does
  StatisticsMethod statistics = StatisticsMethod::none;  // of every tensor of the scan after
  std::string stop_at;             // "[FILE:]LINE[#HIT]": the moment to look at, where the script then ends; "": the end
  bool interactive_stops = false;  // the viewer serves stops: breakpoint() and dlscope.stop() stand still until it says Resume
  std::uint64_t stop = 0;          // not 0: console code, run at that stop (core/wire/debugging.h), in its frame
  std::uint32_t frame = 0;         // index into Stopped::frames
};
struct Scan {
  std::uint64_t request = 0;
};
struct Stop {
  std::uint32_t attempt = 1;
};  // SIGINT to the main thread if it runs user code; deferred during an import
struct Shutdown {};  // leave: atexit, flush, _exit
// A question about the user's objects, answered on the main thread between statements; every Ask gets one Answer.
struct Ask {
  std::uint64_t id = 0;    // chosen by the viewer, rises
  std::string kind, text;  // "complete", "is_complete", ...; text: JSON, at most kMaxQuestionBytes
};
// Every Start gets exactly one WorkEnded, whatever becomes of the work.
struct Start {
  std::uint64_t id = 0;  // chosen by the viewer, rises over tasks and acts
  Work work;
};
// The work ends as cancelled, at once where it is a task or still waits; what has ended already stays as it ended.
struct Cancel {
  std::uint64_t id = 0;
};

// ---- host -> viewer ----
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
// complete: everything was looked at. stopped: by Stop, the snapshot holds what was found until then. failed: there is no snapshot.
enum class ScanResult : std::uint8_t { complete, stopped, failed };
struct SnapshotReady {
  std::uint64_t sequence = 0;  // Region::take_snapshot
  std::uint64_t run = 0;
  Scanned scanned = Scanned::none;
};
// Every scan ends with exactly one of these, after its SnapshotReady if there is one: the scan after a run (request 0) and each Scan.
struct ScanFinished {
  std::uint64_t request = 0;
  ScanResult result = ScanResult::complete;
  std::string message;  // with failed: why
};
struct Notice {
  std::string text;
};  // something the user should read: what happened, why, what to do

struct Progress {
  std::uint64_t id = 0, done = 0, total = 0;  // total 0: not known
  ProgressUnit unit = ProgressUnit::bytes;
};
struct Part {
  std::uint64_t id = 0;
  WorkPart part;
};
struct WorkEnded {
  std::uint64_t id = 0;
  WorkOutcome outcome = WorkOutcome::done;
  std::string message;  // with failed: why. With done: what the user should know, "" for nothing
  WorkResult result;
};
// Sent when a lease changes its state. tensor: in the newest snapshot that shows it.
struct LeaseChanged {
  std::uint64_t lease = 0;
  LeaseState state = LeaseState::gone;
  bool pinned = false;
  TensorRef tensor;
  std::string message;  // what was found at a state that was not asked for; "" otherwise
};

// To the Ask with this id. error: "" where text is the answer; else kAnswerBusy, kAnswerStopped or words, and text is "".
struct Answer {
  std::uint64_t id = 0;
  std::string kind, text, error;
};

inline constexpr std::size_t kMaxKindBytes = 64;
inline constexpr std::size_t kMaxQuestionBytes = std::size_t{1} << 20;
inline constexpr std::size_t kMaxAnswerBytes = std::size_t{2} << 20;
inline constexpr char kAnswerBusy[] = "busy";        // user code runs: ask again when the host is idle
inline constexpr char kAnswerStopped[] = "stopped";  // by Stop, or by a run that waited for it

using ToHost = std::variant<Run, Scan, Stop, Shutdown, Ask, Start, Cancel, SetBreakpoints, Pause, Resume>;
using ToViewer = std::variant<Hello, RunStarted, RunFinished, SnapshotReady, ScanFinished, Notice, Answer, Progress, Part,
                              WorkEnded, LeaseChanged, BreakpointsChanged, Stopped, Resumed>;

// Kinds on the wire: 1.. to the host, 0x101.. to the viewer, in the order of the variants. The payload starts with the
// version of its own encoding.
inline constexpr std::uint16_t kFirstKindToHost = 1;
inline constexpr std::uint16_t kFirstKindToViewer = 0x101;
inline constexpr std::uint16_t kMessageVersion = 4;

// Texts of a script error and of a notice are cut (and say so) to what always fits the ring. An Answer that is too large
// becomes one whose error says so. A question longer than its bound is refused by the decoder. Nothing else is: a Run whose
// source is larger than kMaxMessageBytes makes a message that RingWriter::write refuses.
[[nodiscard]] RawMessage encode(const ToHost& message);
[[nodiscard]] RawMessage encode(const ToViewer& message);
[[nodiscard]] Result<ToHost> decode_to_host(const RawMessage& raw);
[[nodiscard]] Result<ToViewer> decode_to_viewer(const RawMessage& raw);

}  // namespace dlscope::core::wire
