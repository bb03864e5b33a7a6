// LineEvents: receives Python's line events: the callbacks of sys.monitoring from 3.12 on, a trace function of our own before
// that. It decides in C++ whether the event concerns a breakpoint, a step or an exception, and only then calls the Python code
// that decides the rest (python/dlscope/_host_stops.py). In C++ because the callbacks run for every line of the code objects with
// breakpoints, and because other tools do not trace what is written in C.
// thread: GIL held for everything here; the events come on any Python thread. One per process.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <optional>
#include <unordered_map>
#include <vector>

#include "embed/py_ref.h"

namespace dlscope::embed {

class LineEvents {
 public:
  static LineEvents& get();

  // resolve(code) -> (lines with breakpoints, line whose breakpoint is the start of the code object or 0, do steps stop in this
  // code, does it begin and end on one line, is its return awaited, offsets of the loops that stand with all of their body on
  // such a line). Called once per code object until forget_code().
  // reached(frame, line, "line" | "step" | "line and step" | "call" | "raise" | "return", exception or None) -> the exception
  // class to raise here, which ends the script, or None. "line": this code object has a breakpoint on the line. The exception:
  // the object from 3.12 on, before that the tuple (type, value, traceback) that trace functions get. reached(None, 0, "refused",
  // None): code with a breakpoint runs under another tool's trace function, so its lines are not seen.
  void begin(PyRef resolve, PyRef reached);
  void end();
  void forget_code();

  // A step ends at the next line of steppable code, in this thread (0: any) and in one of these frames (empty: in any), but not
  // on the line where it began, unless that is the next iteration of a loop on it. Keeps the frames alive until the step is over.
  struct Loop {
    PyRef code;
    long offset = 0;  // in the code, where an iteration begins
  };
  struct Step {
    unsigned long thread = 0;
    std::vector<PyRef> frames;
    PyRef start;  // the frame where it began
    long start_line = 0;
    std::vector<Loop> loops;  // on the lines where the frames stand
  };
  void set_step(Step step);
  void clear_step();

  // Whether the calling thread is the stopped one. Events of the stopped thread are ignored: what it runs serves the viewer.
  void set_thread_stopped(bool stopped);
  [[nodiscard]] bool is_stopped_outside_main_thread() const;
  // The innermost frame of the stopped thread; null: none is stopped.
  [[nodiscard]] PyRef frame_of_stopped_thread() const;
  // Raises KeyboardInterrupt in the stopped thread, at one of its next instructions. Until then that thread can take it back.
  // False: the thread no longer runs that frame; nothing is raised.
  bool interrupt_stopped_thread(PyObject* frame);
  void take_back_interrupt();

  // At a stop: while true, every other thread waits at its next event, without the GIL, until suspend_other_threads(false).
  void suspend_other_threads(bool suspend);
  // While one lives, the calling thread runs Python code of dlscope's: its events are ignored, and it is not suspended, because
  // the stopped thread may be waiting for it.
  class EventsIgnored {
   public:
    EventsIgnored();
    ~EventsIgnored();
    EventsIgnored(const EventsIgnored&) = delete;
    EventsIgnored& operator=(const EventsIgnored&) = delete;

   private:
    bool before_;
  };

  // The implementation of breakpoint(). Returns a new reference, or null with a Python error set.
  [[nodiscard]] PyObject* on_call();

  // The callbacks of sys.monitoring. Each returns a new reference (None, or DISABLE), or null with a Python error set.
  [[nodiscard]] PyObject* on_start(PyObject* code);
  // An exception is thrown into a suspended generator or coroutine, whose code may have had no other event yet. This event cannot
  // be disabled for a code object: while breakpoints are set, each throw, close and cancellation costs one call of facts_of().
  [[nodiscard]] PyObject* on_throw(PyObject* code);
  [[nodiscard]] PyObject* on_line(PyObject* code, long line);
  [[nodiscard]] PyObject* on_jump(PyObject* code, long to);  // to: offset in the code
  [[nodiscard]] PyObject* on_raise(PyObject* code, PyObject* exception);
  [[nodiscard]] PyObject* on_return(PyObject* code);

  // Before 3.12. tracer: the object that sys.gettrace() returns while our trace function is set; where Python calls it as a trace
  // function, it calls trace_this_thread(). A thread removes our trace function at its first event after stop_tracing().
  enum class Threads : std::uint8_t { none, this_one, all };  // of those that already run
  // needing_code: only in frames of code that needs it (embed/host/traced_frames.h); where that is not possible, everywhere.
  enum class Where : std::uint8_t { nowhere, needing_code, everywhere };
  struct Tracing {
    Where where = Where::everywhere;
    Threads threads = Threads::all;
    bool exceptions = false;         // exception events are wanted as well
    bool no_user_frame_yet = false;  // no frame of the user's code has begun
  };
  void start_tracing(PyObject* tracer, const Tracing& wanted);
  void stop_tracing();
  void trace_this_thread();

 private:
  // The answer of resolve() for one code object.
  struct CodeFacts {
    PyRef code;  // kept alive, because its address is the key
    std::vector<long> lines, loops;
    long start_line = 0;
    bool is_steppable = false, on_one_line = false, return_awaited = false;
  };
  [[nodiscard]] const CodeFacts* facts_of(PyObject* code);
  [[nodiscard]] bool step_reaches(PyObject* frame, long line, const CodeFacts& code) const;
  [[nodiscard]] bool step_may_end_in(PyObject* frame, const CodeFacts& code) const;
  [[nodiscard]] bool is_loop_of_step(PyObject* code, long offset) const;
  // False: a Python error is set, which ends the script.
  [[nodiscard]] bool call_reached(PyObject* frame, long line, const char* why, PyObject* exception = Py_None);
  [[nodiscard]] bool is_stopped_thread() const;  // the calling thread
  [[nodiscard]] bool ignores_events() const;     // likewise
  [[nodiscard]] std::optional<bool> needs_tracing(PyObject* code);  // before 3.12; nullopt: could not be found out
  void report_refused();
  void wait_while_suspended();
  int trace_event(PyObject* frame, int what, PyObject* argument);
  static int trace(PyObject* self, PyFrameObject* frame, int what, PyObject* argument);

  PyRef resolve_, reached_, disable_, tracer_;
  std::unordered_map<PyObject*, CodeFacts> codes_;
  std::uint64_t generation_ = 0;  // how often codes_ was emptied
  Step step_;
  bool has_step_ = false;
  Where traced_where_ = Where::nowhere;
  bool wants_exceptions_ = false;
  unsigned long stopped_thread_ = 0;  // its number as Python has it; 0: none
  PyThreadState* stopped_thread_state_ = nullptr;
  bool interrupt_sent_ = false;  // to the stopped thread, which may not have seen it yet
  std::mutex suspend_mutex_;
  std::condition_variable resumed_;
  bool others_suspended_ = false;  // written with the GIL and suspend_mutex_ held, read with one of them
  unsigned long main_thread_ = 0;
};

}  // namespace dlscope::embed
