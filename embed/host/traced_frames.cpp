#include "embed/host/traced_frames.h"

#include <pthread.h>

#include <array>
#include <cstdint>
#include <cstdlib>

#include "embed/py_ref.h"

namespace dlscope::embed::traced_frames {

extern "C" {
// Exported by every CPython from 3.9 to 3.11, which is where they are used; not in the stable ABI. A frame is a PyFrameObject in
// 3.9 and
// 3.10, a _PyInterpreterFrame in 3.11.
using EvalFunction = PyObject* (*)(PyThreadState*, void* frame, int throws);
__attribute__((weak)) PyObject* dlscope_eval_default(PyThreadState*, void*, int) __asm__("_PyEval_EvalFrameDefault");
__attribute__((weak)) EvalFunction dlscope_eval_function(PyInterpreterState*) __asm__("_PyInterpreterState_GetEvalFrameFunc");
__attribute__((weak)) void dlscope_set_eval_function(PyInterpreterState*,
                                                     EvalFunction) __asm__("_PyInterpreterState_SetEvalFrameFunc");
__attribute__((weak)) void dlscope_set_trace_here(TraceFunction function, PyObject* argument) __asm__("PyEval_SetTrace");
__attribute__((weak)) PyObject* dlscope_code_of(PyFrameObject* frame) __asm__("PyFrame_GetCode");
__attribute__((weak)) PyObject* dlscope_caller_of(PyFrameObject* frame) __asm__("PyFrame_GetBack");
}

namespace {

constexpr int kCodeSlot = 4;  // of _PyInterpreterFrame in 3.11: f_func, f_globals, f_builtins, f_locals, f_code
constexpr std::uintptr_t kStackKept = std::uintptr_t{1} << 20;  // bytes of C stack that evaluate() leaves to others

// Cache of what Settings::needs_tracing() answered: asking it takes as long as a short Python call.
struct Answer {
  PyObject* code = nullptr;  // never dereferenced
  std::uint64_t generation = 0;
  bool needs_tracing = false;
};
constexpr std::size_t kAnswers = 1024;

struct State {
  Settings settings;
  std::array<Answer, kAnswers> answers;
  std::uint64_t generation = 1;  // rises with each forget_answers()
  bool on = false;
  bool installed = false;
  // another tool's evaluation function may call ours, even where ours is not the installed one
  bool may_be_called_by_others = false;
  bool was_called = false;            // evaluate(), since it was last reset
  bool frames_are_structs = false;    // 3.11
  bool covers_all_frames = true;      // no frame of the user's code began before this was installed
  std::uint64_t change = 0;           // rises with each begin() and end()
  EvalFunction next = nullptr;        // the evaluation function that ours replaced
  PyTypeObject* code_type = nullptr;  // lives as long as the process
  PyRef get_trace;
};

State& state() {
  static auto* one = new State;  // never destroyed: other Python threads may use it while the process ends
  return *one;
}

struct ThisThread {
  bool traced = false;  // our trace function is set
  bool paused = false;
  bool is_bypassed = false;  // the stack is too short for evaluate(): the trace function stays set
  // The last answer of leave_frame(): for which frame (never dereferenced), at which State::change, and whether a caller needs
  // tracing.
  PyObject* examined_frame = nullptr;
  std::uint64_t examined_at_change = 0;
  bool keeps_tracing = false;
  std::uintptr_t stack_end = 0;  // below this address is_stack_short(); 0: not worked out yet
};
thread_local ThisThread this_thread;

bool is_older_than(int minor) {
  const char* const version = Py_GetVersion();
  return version[0] == '3' && version[1] == '.' && std::atoi(version + 2) < minor;
}

PyRef code_of(PyObject* frame) { return PyRef::steal(dlscope_code_of(reinterpret_cast<PyFrameObject*>(frame))); }

// The code object of the frame that the evaluation function was given. Null: the frame is not laid out as in the known versions.
PyRef code_to_evaluate(void* frame) {
  if (!state().frames_are_structs) return code_of(static_cast<PyObject*>(frame));
  PyObject* const code = static_cast<PyObject**>(frame)[kCodeSlot];
  return code != nullptr && Py_TYPE(code) == state().code_type ? PyRef::share(code) : PyRef();
}

// Sets or removes our trace function in this thread, unless another tool has set one.
void set_traced(bool on) {
  const PendingError kept;
  const PyRef current = PyRef::steal(dlscope_call_no_args(state().get_trace.get()));
  const bool is_ours = current && current.get() == state().settings.tracer;
  this_thread.traced = is_ours;
  if (on == is_ours) return;
  if (!on || current.get() == Py_None) {
    dlscope_set_trace_here(on ? state().settings.trace : nullptr, on ? state().settings.tracer : nullptr);
    this_thread.traced = on;
  } else if (const Paused ours; state().settings.refused != nullptr) {
    state().settings.refused();
  }
  clear_and_interrupt_later();
}

bool ask_whether_traced(PyObject* code, Answer& known) {
  const PendingError kept;
  const Paused ours;
  const std::optional<bool> answer = state().settings.needs_tracing(code);
  if (answer) known = {code, state().generation, *answer};
  return answer.value_or(false);
}

bool needs_tracing(PyObject* code) {
  State& self = state();
  Answer& known = self.answers[(reinterpret_cast<std::uintptr_t>(code) >> 4) % kAnswers];
  return known.code == code && known.generation == self.generation ? known.needs_tracing : ask_whether_traced(code, known);
}

bool frame_needs_tracing(PyObject* frame) {
  const PyRef code = frame != nullptr ? code_of(frame) : PyRef();
  return code && needs_tracing(code.get());
}

PyObject* evaluate(PyThreadState* thread, void* frame, int throws);

void install() {
  State& self = state();
  PyInterpreterState* const interpreter = PyInterpreterState_Get();
  const EvalFunction current = dlscope_eval_function(interpreter);
  self.installed = true;
  // Another tool's function, installed over ours, calls ours: `next` must not become that one, or the two would call each other
  // for ever.
  if (current == evaluate || (self.may_be_called_by_others && current != dlscope_eval_default)) return;
  self.next = current;
  self.may_be_called_by_others = true;
  dlscope_set_eval_function(interpreter, evaluate);
}

void uninstall() {
  state().installed = false;
  PyInterpreterState* const interpreter = PyInterpreterState_Get();
  // Where another tool has installed its own over ours, ours stays, is called by it, and only passes on.
  if (dlscope_eval_function(interpreter) != evaluate) return;
  dlscope_set_eval_function(interpreter, state().next);
  state().may_be_called_by_others = false;
}

// In 3.11 a call between Python functions needs no C stack, unless the frame evaluation function is replaced. So with ours a deep
// recursion that the user has allowed could overflow the C stack: it is bypassed before that.
bool is_stack_short() {
  if (this_thread.stack_end == 0) {
    pthread_attr_t attributes;
    void* lowest = nullptr;
    std::size_t size = 0;
    if (pthread_getattr_np(pthread_self(), &attributes) != 0) return false;
    pthread_attr_getstack(&attributes, &lowest, &size);
    pthread_attr_destroy(&attributes);
    this_thread.stack_end = reinterpret_cast<std::uintptr_t>(lowest) + (size < 4 * kStackKept ? size / 4 : size / 2);
  }
  const char mark = 0;
  return reinterpret_cast<std::uintptr_t>(&mark) < this_thread.stack_end;
}

// Runs this frame and everything that it calls with Python's own evaluation function, and the trace function set.
PyObject* evaluate_without_us(PyThreadState* thread, void* frame, int throws) {
  uninstall();
  this_thread.is_bypassed = true;
  set_traced(true);
  PyObject* const result = state().next(thread, frame, throws);
  this_thread.is_bypassed = false;
  if (state().on) install();
  return result;
}

PyObject* evaluate(PyThreadState* thread, void* frame, int throws) {
  State& self = state();
  self.was_called = true;
  if (this_thread.paused || !self.installed) return self.next(thread, frame, throws);
  const bool before = this_thread.traced;
  const std::uint64_t change = self.change;
  PyObject* result = nullptr;
  if (self.on && self.frames_are_structs && !this_thread.is_bypassed && is_stack_short()) {
    result = evaluate_without_us(thread, frame, throws);
  } else {
    if (self.on) {
      const PyRef code = code_to_evaluate(frame);
      const bool needed = code && needs_tracing(code.get());
      if (needed != before) set_traced(needed);
    }
    result = self.next(thread, frame, throws);
  }
  if (change == self.change && this_thread.traced == before) return result;
  if (!self.on) return result;
  const bool back = change == self.change ? before : frame_needs_tracing(reinterpret_cast<PyObject*>(PyEval_GetFrame()));
  if (back != this_thread.traced) set_traced(back);
  return result;
}

bool has_caller_that_needs_tracing(PyObject* frame) {
  PyRef caller = PyRef::steal(dlscope_caller_of(reinterpret_cast<PyFrameObject*>(frame)));
  while (caller) {
    if (frame_needs_tracing(caller.get())) return true;
    caller = PyRef::steal(dlscope_caller_of(reinterpret_cast<PyFrameObject*>(caller.get())));
  }
  return false;
}

}  // namespace

Paused::Paused() : before_(this_thread.paused) { this_thread.paused = true; }
Paused::~Paused() { this_thread.paused = before_; }

bool is_possible() {
  return is_older_than(12) && dlscope_eval_default != nullptr && dlscope_eval_function != nullptr &&
         dlscope_set_eval_function != nullptr && dlscope_set_trace_here != nullptr && dlscope_code_of != nullptr &&
         dlscope_caller_of != nullptr;
}

void begin(const Settings& settings, bool no_user_frame_yet) {
  State& self = state();
  if (!self.get_trace) {
    self.get_trace = PyRef::share(PySys_GetObject("gettrace"));
    self.frames_are_structs = !is_older_than(11);
    self.code_type = Py_TYPE(code_of(reinterpret_cast<PyObject*>(PyEval_GetFrame())).get());
  }
  if (!self.installed) self.covers_all_frames = no_user_frame_yet;
  self.settings = settings;
  ++self.change;
  self.on = true;
  if (!this_thread.is_bypassed) install();
}

void forget_answers() { ++state().generation; }

void end(Stays stays) {
  State& self = state();
  self.on = false;
  ++self.change;
  if (stays == Stays::no && self.installed) uninstall();
}

bool sees_calls(PyObject* python_function) {
  state().was_called = false;
  const PyRef ignored = PyRef::steal(dlscope_call_no_args(python_function));
  clear_and_interrupt_later();
  return !state().on || state().was_called;
}

void note_called() { this_thread.traced = true; }

void leave_frame(PyObject* frame) {
  if (this_thread.is_bypassed) return;
  if (!state().covers_all_frames) {
    if (this_thread.examined_frame != frame || this_thread.examined_at_change != state().change) {
      this_thread.keeps_tracing = has_caller_that_needs_tracing(frame);
      this_thread.examined_frame = frame;
      this_thread.examined_at_change = state().change;
    }
    if (this_thread.keeps_tracing) return;
  }
  dlscope_set_trace_here(nullptr, nullptr);
  this_thread.traced = false;
}

}  // namespace dlscope::embed::traced_frames
