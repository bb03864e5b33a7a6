// LineEvents: what Python calls before it runs a line: the callbacks of sys.monitoring from 3.12 on, a trace function of our own
// before. Decides in C++ whether anybody waits for this line (a breakpoint, a step, an exception), and only then calls the Python
// that looks closer (python/dlscope/_host_stops.py). In C++ because this runs for every line of the code objects with breakpoints,
// and because what is written in C is not traced by other tools.
// thread: GIL held. One per process.
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

  // resolve(code) -> (lines that are waited for, line whose breakpoint is the start of the code object or 0, is it code to step in,
  // does it begin and end on one line, is its return waited for, where loops begin that stand on such a line with all of their body),
  // asked once per code object until forget_code().
  // reached(frame, line, "line" | "step" | "line and step" | "call" | "raise" | "return", exception or None) -> an exception class
  // that is raised here to end the script, or None. "line": this code object's line is waited for. The exception: the object from
  // 3.12 on, before the tuple (type, value, traceback) that trace functions get. reached(None, 0, "refused", None): code that is
  // waited for runs under another tool's trace function.
  void begin(PyRef resolve, PyRef reached);
  void end();
  void forget_code();

  // A step: the next line of code to step in, in this thread (0: any), in one of these frames (empty: in any), that is not the line of
  // the frame where it began. The frames are kept alive until the step is over.
  struct Step {
    unsigned long thread = 0;
    std::vector<PyRef> frames;
    PyRef start;
    long start_line = 0;
  };
  void set_step(Step step);
  void clear_step();

  // No event of the thread that stands at a stop counts: what it runs there is not what is looked at.
  void set_standing(bool stands);  // this thread
  [[nodiscard]] bool stands_in_another_thread() const;
  // The frame that it runs; null: none.
  [[nodiscard]] PyRef standing_frame() const;
  // Raises KeyboardInterrupt in it, at one of its next instructions; until then it can be taken back, by that thread. False: it
  // does not run that frame any more.
  bool interrupt_standing_thread(PyObject* frame);
  void take_back_interrupt();

  // While a thread stands: every other thread that comes to an event of ours stands there, too, until hold_others(false).
  void hold_others(bool hold);
  // While one lives, this thread runs Python code of ours: no event of it counts, and it is not held (who stands may wait for it).
  class OwnWork {
   public:
    OwnWork();
    ~OwnWork();
    OwnWork(const OwnWork&) = delete;
    OwnWork& operator=(const OwnWork&) = delete;

   private:
    bool before_;
  };

  // What breakpoint() calls. Returns a new reference or null with an error set.
  [[nodiscard]] PyObject* on_call();

  // For sys.monitoring; each returns a new reference or null with an error set.
  [[nodiscard]] PyObject* on_start(PyObject* code);
  // An exception is thrown into a suspended generator or coroutine: code that may have been met by no other event. Cannot be
  // disabled for a code object: one call of facts_of() for each throw, close and cancellation while breakpoints are set.
  [[nodiscard]] PyObject* on_throw(PyObject* code);
  [[nodiscard]] PyObject* on_line(PyObject* code, long line);
  [[nodiscard]] PyObject* on_jump(PyObject* code, long to);
  [[nodiscard]] PyObject* on_raise(PyObject* code, PyObject* exception);
  [[nodiscard]] PyObject* on_return(PyObject* code);

  // Before 3.12. tracer: what sys.gettrace() shows for ours; called as a trace function it puts ours in place (adopt_thread). In all code,
  // or in the code objects that need it only (embed/host/traced_frames.h; where that is not possible, in all). Each thread gives it up
  // with its next event after stop_tracing().
  enum class Threads : std::uint8_t { none, this_one, all };
  enum class Where : std::uint8_t { nowhere, in_code_that_needs_it, everywhere };
  struct Tracing {
    Where where = Where::everywhere;
    Threads threads = Threads::all;  // of those that run already
    bool raises = false;             // exceptions, too
    bool are_frames_new = false;     // no frame of the user's runs yet
  };
  void start_tracing(PyObject* tracer, const Tracing& wanted);
  void stop_tracing();
  void adopt_thread();

 private:
  struct Code {
    PyRef code;  // kept: its address is the key
    std::vector<long> lines, loops;
    long start = 0;
    bool is_users = false, on_one_line = false, returns = false;
  };
  [[nodiscard]] const Code* facts_of(PyObject* code);
  [[nodiscard]] bool step_reaches(PyObject* frame, long line, const Code& code) const;
  [[nodiscard]] bool tell(PyObject* frame, long line, const char* why, PyObject* exception = Py_None);  // false: an error is set
  [[nodiscard]] bool is_standing_thread() const;
  [[nodiscard]] bool ignores_events() const;  // of this thread
  [[nodiscard]] std::optional<bool> needs_tracing(PyObject* code);  // before 3.12: the trace function is needed in it
  void refuse();
  void stand_if_held();
  int trace_event(PyObject* frame, int what, PyObject* argument);
  static int trace(PyObject* self, PyFrameObject* frame, int what, PyObject* argument);

  PyRef resolve_, reached_, disable_, tracer_;
  std::unordered_map<PyObject*, Code> codes_;
  std::uint64_t rounds_ = 0;  // how often codes_ was emptied
  Step step_;
  bool steps_ = false;
  Where traced_ = Where::nowhere;
  bool raises_ = false;
  unsigned long standing_ = 0;
  PyThreadState* standing_state_ = nullptr;
  bool interrupt_sent_ = false;  // to the standing thread, which may not have seen it yet
  std::mutex hold_mutex_;
  std::condition_variable released_;
  bool holds_ = false;  // written with the GIL and the mutex
  unsigned long main_thread_ = 0;
};

}  // namespace dlscope::embed
