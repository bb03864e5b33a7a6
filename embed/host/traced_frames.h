// traced_frames: before Python 3.12, enables our trace function only in frames whose code needs it. A trace function belongs to a
// thread: while it is set, every instruction of that thread is slower, whatever code it runs. So while breakpoints are set,
// Python's frame evaluation function (PEP 523) is replaced by one that sets or removes the trace function when a frame begins,
// and restores the previous state when it ends. Calls become a little slower, loops do not. Another tool's trace function is
// never replaced.
// thread: GIL held. One per process.
#pragma once

#include <optional>

#include "embed/python_api.h"

namespace dlscope::embed::traced_frames {

using TraceFunction = int (*)(PyObject*, PyFrameObject*, int, PyObject*);

struct Settings {
  TraceFunction trace = nullptr;
  PyObject* tracer = nullptr;  // the argument of `trace`, what sys.gettrace() returns for it; kept alive by the caller
  // May run Python code; leaves no error set. nullopt: could not be found out. An answer is used until forget_answers(); the
  // callee keeps the code object alive until then.
  std::optional<bool> (*needs_tracing)(PyObject* code) = nullptr;
  void (*refused)() = nullptr;  // called when code that needs tracing runs in a thread that has another tool's trace function
};

[[nodiscard]] bool is_possible();  // this Python is older than 3.12 and exports what is needed

// Takes effect for frames that begin from now on; for those that already run the trace function calls leave_frame().
// no_user_frame_yet: no frame of the user's code has begun. Call it again when the settings change.
void begin(const Settings& settings, bool no_user_frame_yet);
// Discards what needs_tracing() answered; call it when breakpoints have changed.
void forget_answers();
// From now on the trace function is not set any more. Stays::yes: the evaluation function stays, because this run will need it
// again.
enum class Stays : bool { no, yes };
void end(Stays stays);
// Calls python_function to find out whether our evaluation function is still used. False: another tool has replaced it, and does
// not call ours.
[[nodiscard]] bool sees_calls(PyObject* python_function);

// Called by the trace function in a frame of code that does not need it: removes it from this thread, unless a caller of this
// frame needs it and began before begin(): for that one nothing would set it again.
void leave_frame(PyObject* frame);
// Called by the trace function: it is set in this thread.
void note_called();

// While one lives, frames that begin in this thread are not looked at, because they are dlscope's own Python code.
class Paused {
 public:
  Paused();
  ~Paused();
  Paused(const Paused&) = delete;
  Paused& operator=(const Paused&) = delete;

 private:
  bool before_;
};

}  // namespace dlscope::embed::traced_frames
