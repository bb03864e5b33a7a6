// Debugger messages: breakpoints, steps and stops. A stop is a moment at which the user's code is suspended at one of its lines.
// Until Resume arrives, the host answers questions, scans, performs acts and runs console code in one of the suspended frames.
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
  std::string path;        // of the source file, absolute or as the script was run; "<string>" etc. for code without a file
  std::uint32_t line = 0;  // 1-based
  std::string condition;   // Python expression, evaluated in the frame; "": none
  std::uint64_t hit = 1;   // stops when reached for the hit-th time (with a true condition), and every time after that
  std::string log_text;    // not "": printed to the script's stdout instead of stopping (a logpoint); {expr} as in an f-string
  bool enabled = true;
  bool operator==(const Breakpoint&) const = default;
};
// Replaces all breakpoints and options; takes effect even while code runs. An unchanged breakpoint keeps its hit count.
struct SetBreakpoints {
  std::vector<Breakpoint> all;
  bool on_raise = false;       // stop where an exception is raised
  bool user_code_only = true;  // steps, pauses and raises stop in the user's files only; breakpoints stop anywhere
  bool stop_others = false;   // at a stop, also suspend every other thread at its next line of Python
  bool on_uncaught = false;   // stop where an exception is about to end a thread other than the main one
};
// Stop before the next line of the user's code, in whichever thread reaches one first (usually the main thread).
struct Pause {};

enum class ResumeKind : std::uint8_t { go, step_over, step_into, step_out, run_to, end_script };
struct Resume {
  std::uint64_t stop = 0;  // number of the stop to leave; ignored when that stop is already over
  ResumeKind kind = ResumeKind::go;
  std::string path;        // with run_to, as in Breakpoint
  std::uint32_t line = 0;  // likewise
};

// ---- host -> viewer ----
struct BreakpointState {
  std::uint64_t id = 0;
  std::uint32_t line = 0;  // where it was actually placed: the next line that has code. 0: its file has not been loaded yet
  std::uint64_t hits = 0;
  std::string message;  // why it cannot stop, or what is wrong with its condition; "": nothing is wrong
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
  call,     // breakpoint() or dlscope.stop()
  returns,  // just before the function named in Run::stop_at returns
  uncaught,  // an exception is about to end this thread; its frames are those of the traceback, and it does not go back to them
  ended,    // the run is over, through an uncaught exception or Stop; its frames are kept for inspection
};
struct StackFrame {
  std::string function, path;  // function: qualified name
  std::uint32_t line = 0;
  bool user = false;    // the code is in one of the user's own files
  // Heading shown above this frame, "" for most: starts the frames of another thread or asyncio task, marks frames left out, or,
  // with StopReason::ended, starts the frames of the exception that caused the one before: "Caused by KeyError: 'x'".
  std::string heading = {};
  bool operator==(const StackFrame&) const = default;
};
struct Stopped {
  std::uint64_t stop = 0;  // number of this stop; each is greater than the one before
  StopReason reason = StopReason::breakpoint;
  std::string thread, message;  // thread's name; the exception ("" after Stop), or for a breakpoint a warning about it
  std::uint64_t breakpoint = 0;    // Breakpoint::id; 0: none
  std::vector<StackFrame> frames;  // innermost first, at most kMaxStackFrames
};
// The user's code continues. Follows every Stopped, unless the process dies at the stop or the reason is StopReason::ended.
// A Stopped with reason ended comes after RunFinished. Questions and console code may then use its frames, until the next run in
// a new namespace, the next Stopped with that reason, or a Resume for it, which frees the frames.
struct Resumed {
  std::uint64_t stop = 0;
};

inline constexpr std::size_t kMaxBreakpoints = 4096;
inline constexpr std::size_t kMaxStackFrames = 200;
inline constexpr std::size_t kMaxPathBytes = std::size_t{8} << 10;
inline constexpr std::size_t kMaxExpressionBytes = std::size_t{16} << 10;  // of a condition or a log text

// Lists and texts that exceed these bounds: messages to the host are refused
// by the decoder (in.failed()); messages to the viewer are cut by the encoder.
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
