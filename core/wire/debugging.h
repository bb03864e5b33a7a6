// Messages of debugging: breakpoints, steps, and the moments at which the user's code stands still. A stop is one such moment;
// while it lasts the host answers questions, scans, acts and runs console code in one of the stopped frames, until Resume.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "core/wire/payload.h"

namespace dlscope::core::wire {

// ---- viewer -> host ----
struct Breakpoint {
  std::uint64_t id = 0;    // chosen by the viewer
  std::string path;        // of the file, absolute or as the script was run; "<string>" and the like where it has none
  std::uint32_t line = 0;  // 1-based
  std::string condition;   // Python expression, evaluated in the frame; "": always
  std::uint64_t hit = 1;   // stops when it is reached for the hit-th time (condition true), and each time after that
  std::string log_text;    // not "": printed to the script's stdout instead of stopping, {expression} replaced as in an f-string
  bool enabled = true;
  bool operator==(const Breakpoint&) const = default;
};
// What stops, and how. Replaces the whole list; takes effect while code runs. Hits of a breakpoint that stays unchanged are kept.
struct SetBreakpoints {
  std::vector<Breakpoint> all;
  bool on_raise = false;       // stops where an exception is raised
  bool user_code_only = true;  // steps, pauses and raises stop in the user's files only; breakpoints stop where they are set
  bool others_stand = false;   // at a stop the other threads stand as well, each at its next line of Python
};
// Stops before the next line of the user's code; of the main thread, unless another thread runs such code first.
struct Pause {};

enum class ResumeKind : std::uint8_t { go, step_over, step_into, step_out, run_to, end_script };
struct Resume {
  std::uint64_t stop = 0;  // one that is over already is left alone
  ResumeKind kind = ResumeKind::go;
  std::string path;        // with run_to, as in Breakpoint
  std::uint32_t line = 0;  // likewise
};

// ---- host -> viewer ----
struct BreakpointState {
  std::uint64_t id = 0;
  std::uint32_t line = 0;  // where it stands: the next line that has code. 0: its file has not been loaded yet
  std::uint64_t hits = 0;
  std::string message;  // why it cannot stop, or what is wrong with its condition; "" where nothing is
  bool operator==(const BreakpointState&) const = default;
};
struct BreakpointsChanged {
  std::vector<BreakpointState> all;
};

enum class StopReason : std::uint8_t {
  breakpoint,
  step,
  pause,
  raised,
  call,    // breakpoint() or dlscope.stop()
  returns,  // before a function that was named returns
  ended,   // by an exception that nobody caught, or by Stop: the run is over, its frames are kept for looking at
};
struct StackFrame {
  std::string function, path;  // function: qualified name
  std::uint32_t line = 0;
  bool user = false;    // code of the user's own files
  // With StopReason::ended, above the first frame of each exception that led to the one before: "Caused by KeyError: 'x'".
  std::string heading = {};
  bool operator==(const StackFrame&) const = default;
};
struct Stopped {
  std::uint64_t stop = 0;  // number of this stop; rises
  StopReason reason = StopReason::breakpoint;
  std::string thread, message;  // words: the exception ("" where Stop ended it); with breakpoint what the user should know of it
  std::uint64_t breakpoint = 0;    // its id; 0: none
  std::vector<StackFrame> frames;  // innermost first, at most kMaxStackFrames
};
// The user's code goes on. Every Stopped is followed by one, unless the process dies at the stop; but none with StopReason::ended: that
// comes after RunFinished, between two runs, questions and console code may name its frames, and it holds until the next run in a new
// namespace, until another one comes, or until Resume lets go of it.
struct Resumed {
  std::uint64_t stop = 0;
};

inline constexpr std::size_t kMaxBreakpoints = 4096;
inline constexpr std::size_t kMaxStackFrames = 200;
inline constexpr std::size_t kMaxPathBytes = std::size_t{8} << 10;
inline constexpr std::size_t kMaxExpressionBytes = std::size_t{16} << 10;  // of a condition, of a log text

// Lists and texts beyond their bounds: to the host, the decoder refuses the message; to the viewer, the encoder cuts them.
void put(PayloadWriter& out, const SetBreakpoints& m);
void get(PayloadReader& in, SetBreakpoints& m);
void put(PayloadWriter& out, const Pause& m);
void get(PayloadReader& in, Pause& m);
void put(PayloadWriter& out, const Resume& m);
void get(PayloadReader& in, Resume& m);
void put(PayloadWriter& out, const BreakpointsChanged& m);
void get(PayloadReader& in, BreakpointsChanged& m);
void put(PayloadWriter& out, const Stopped& m);
void get(PayloadReader& in, Stopped& m);
void put(PayloadWriter& out, const Resumed& m);
void get(PayloadReader& in, Resumed& m);

}  // namespace dlscope::core::wire
