// TracedFrames: before Python 3.12, has the trace function on in the frames of the code objects that need it only. A trace function is
// a thread's: where it is on, every instruction that the thread executes is slower, whatever code it is of. So Python's frame
// evaluation function (PEP 523) is replaced while breakpoints are set: at each call it turns the trace function on or off for the frame
// that begins, and back when it ends. Calls become a little slower, loops do not. Another tool's trace function is never replaced.
// thread: GIL held. One per process.
#pragma once

#include <optional>

#include "embed/python_api.h"

namespace dlscope::embed::traced_frames {

using TraceFunction = int (*)(PyObject*, PyFrameObject*, int, PyObject*);

struct Settings {
  TraceFunction trace = nullptr;
  PyObject* tracer = nullptr;  // the argument of `trace`, what sys.gettrace() returns for it; kept alive by the caller
  // May run Python; leaves no error. An answer holds until forget_answers(), and its code object lives until then; none: it could not be found out.
  std::optional<bool> (*needs_tracing)(PyObject* code) = nullptr;
  void (*refused)() = nullptr;                // code that needs tracing runs, and another tool has the thread's trace function
};

[[nodiscard]] bool is_possible();  // this Python is older than 3.12 and exports what is needed

// From now on, for the frames that begin. What runs already: leave_frame(). are_all_new: no frame of the user's runs yet.
// Again with what has changed since.
void begin(const Settings& settings, bool are_all_new);
// The trace function is no longer turned on by this; `stays`: it will be needed again in this run.
void forget_answers();
enum class Stays : bool { no, yes };
void end(Stays stays);
// Whether calls still come by here; python_function is called to see. False: another tool evaluates frames and does not pass them on.
[[nodiscard]] bool sees_calls(PyObject* python_function);

// For the trace function, in a frame of code that does not need it: turns it off in this thread, unless a frame that called this one
// needs it and began too early to have it turned on again.
void leave_frame(PyObject* frame);
// For the trace function: it has been called in this thread.
void note_called();

// While one lives, frames that begin in this thread are left alone: our own Python runs.
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
