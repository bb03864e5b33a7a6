#include "embed/host/traced_frames.h"

#include <pthread.h>

#include <array>
#include <cstdint>
#include <cstdlib>

#include "embed/py_ref.h"

namespace dlscope::embed::traced_frames {

extern "C" {
// Exported by every CPython from 3.9 to 3.11, which is where they are used; not in the stable ABI. A frame is a PyFrameObject in 3.9 and
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
constexpr std::uintptr_t kStackKept = std::uintptr_t{1} << 20;

// What needs_tracing() answered for the code objects that begin often: asking takes as long as a short call.
struct Answer {
  PyObject* code = nullptr;  // never dereferenced
  std::uint64_t round = 0;
  bool needs_tracing = false;
};
constexpr std::size_t kAnswers = 1024;

struct State {
  Settings settings;
  std::array<Answer, kAnswers> answers;
  std::uint64_t round = 1;  // rises with each forget_answers()
  bool on = false;
  bool installed = false;
  bool is_in_chain = false;           // another tool's function may call ours, also where ours is not the first
  bool called = false;                // evaluate() was
  bool frames_are_structs = false;    // 3.11
  bool covers_all = true;             // no frame began before this was installed
  std::uint64_t change = 0;           // rises with each begin() and end()
  EvalFunction next = nullptr;        // what evaluated frames before
  PyTypeObject* code_type = nullptr;  // lives as long as the process
  PyRef get_trace;
};

State& state() {
  static auto* one = new State;  // never destroyed: threads of the user's may come here while the process ends
  return *one;
}

struct ThisThread {
  bool traced = false;  // our trace function is on here
  bool paused = false;
  bool is_deep = false;  // too deep on the stack for more calls by way of us: the trace function stays on
  PyObject* looked_at = nullptr;  // the frame that leave_frame() was last asked about, and at which change; never dereferenced
  std::uint64_t looked_at_change = 0;
  bool stays = false;  // what it found
  std::uintptr_t stack_end = 0;  // the lowest address of the stack
};
thread_local ThisThread here;

bool is_older_than(int minor) {
  const char* const version = Py_GetVersion();
  return version[0] == '3' && version[1] == '.' && std::atoi(version + 2) < minor;
}

PyRef code_of(PyObject* frame) { return PyRef::steal(dlscope_code_of(reinterpret_cast<PyFrameObject*>(frame))); }

// What the evaluation function is called with. Null: not what it is known to be.
PyRef code_to_evaluate(void* frame) {
  if (!state().frames_are_structs) return code_of(static_cast<PyObject*>(frame));
  PyObject* const code = static_cast<PyObject**>(frame)[kCodeSlot];
  return code != nullptr && Py_TYPE(code) == state().code_type ? PyRef::share(code) : PyRef();
}

// Turns the trace function on or off in this thread, where no other tool has it.
void set(bool on) {
  const PendingError kept;
  const PyRef current = PyRef::steal(dlscope_call_no_args(state().get_trace.get()));
  const bool is_ours = current && current.get() == state().settings.tracer;
  here.traced = is_ours;
  if (on == is_ours) return;
  if (!on || current.get() == Py_None) {
    dlscope_set_trace_here(on ? state().settings.trace : nullptr, on ? state().settings.tracer : nullptr);
    here.traced = on;
  } else if (const Paused ours; state().settings.refused != nullptr) {
    state().settings.refused();
  }
  clear_and_interrupt_later();
}

bool ask_whether_traced(PyObject* code, Answer& known) {
  const PendingError kept;
  const Paused ours;
  const std::optional<bool> answer = state().settings.needs_tracing(code);
  if (answer) known = {code, state().round, *answer};
  return answer.value_or(false);
}

bool needs_tracing(PyObject* code) {
  State& self = state();
  Answer& known = self.answers[(reinterpret_cast<std::uintptr_t>(code) >> 4) % kAnswers];
  return known.code == code && known.round == self.round ? known.needs_tracing : ask_whether_traced(code, known);
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
  // Another tool's in front of ours calls ours, which must not call it again.
  if (current == evaluate || (self.is_in_chain && current != dlscope_eval_default)) return;
  self.next = current;
  self.is_in_chain = true;
  dlscope_set_eval_function(interpreter, evaluate);
}

void uninstall() {
  state().installed = false;
  PyInterpreterState* const interpreter = PyInterpreterState_Get();
  // Where another tool has put its own in front since, ours stays below it and does nothing.
  if (dlscope_eval_function(interpreter) != evaluate) return;
  dlscope_set_eval_function(interpreter, state().next);
  state().is_in_chain = false;
}

// In 3.11 a call among Python functions needs no C stack, unless somebody evaluates frames himself. A recursion that the user has
// allowed to be deep must not end the process.
bool is_stack_short() {
  if (here.stack_end == 0) {
    pthread_attr_t attributes;
    void* lowest = nullptr;
    std::size_t size = 0;
    if (pthread_getattr_np(pthread_self(), &attributes) != 0) return false;
    pthread_attr_getstack(&attributes, &lowest, &size);
    pthread_attr_destroy(&attributes);
    here.stack_end = reinterpret_cast<std::uintptr_t>(lowest) + (size < 4 * kStackKept ? size / 4 : size / 2);
  }
  const char mark = 0;
  return reinterpret_cast<std::uintptr_t>(&mark) < here.stack_end;
}

// Everything below runs as if nobody evaluated frames, with the trace function on.
PyObject* evaluate_deep(PyThreadState* thread, void* frame, int throws) {
  uninstall();
  here.is_deep = true;
  set(true);
  PyObject* const result = state().next(thread, frame, throws);
  here.is_deep = false;
  if (state().on) install();
  return result;
}

PyObject* evaluate(PyThreadState* thread, void* frame, int throws) {
  State& self = state();
  self.called = true;
  if (here.paused || !self.installed) return self.next(thread, frame, throws);
  const bool before = here.traced;
  const std::uint64_t change = self.change;
  PyObject* result = nullptr;
  if (self.on && self.frames_are_structs && !here.is_deep && is_stack_short()) {
    result = evaluate_deep(thread, frame, throws);
  } else {
    if (self.on) {
      const PyRef code = code_to_evaluate(frame);
      const bool needed = code && needs_tracing(code.get());
      if (needed != before) set(needed);
    }
    result = self.next(thread, frame, throws);
  }
  if (change == self.change && here.traced == before) return result;
  if (!self.on) return result;
  const bool back = change == self.change ? before : frame_needs_tracing(reinterpret_cast<PyObject*>(PyEval_GetFrame()));
  if (back != here.traced) set(back);
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

Paused::Paused() : before_(here.paused) { here.paused = true; }
Paused::~Paused() { here.paused = before_; }

bool is_possible() {
  return is_older_than(12) && dlscope_eval_default != nullptr && dlscope_eval_function != nullptr &&
         dlscope_set_eval_function != nullptr && dlscope_set_trace_here != nullptr && dlscope_code_of != nullptr &&
         dlscope_caller_of != nullptr;
}

void begin(const Settings& settings, bool are_all_new) {
  State& self = state();
  if (!self.get_trace) {
    self.get_trace = PyRef::share(PySys_GetObject("gettrace"));
    self.frames_are_structs = !is_older_than(11);
    self.code_type = Py_TYPE(code_of(reinterpret_cast<PyObject*>(PyEval_GetFrame())).get());
  }
  if (!self.installed) self.covers_all = are_all_new;
  self.settings = settings;
  ++self.change;
  self.on = true;
  if (!here.is_deep) install();
}

void forget_answers() { ++state().round; }

void end(Stays stays) {
  State& self = state();
  self.on = false;
  ++self.change;
  if (stays == Stays::no && self.installed) uninstall();
}

bool sees_calls(PyObject* python_function) {
  state().called = false;
  const PyRef ignored = PyRef::steal(dlscope_call_no_args(python_function));
  clear_and_interrupt_later();
  return !state().on || state().called;
}

void note_called() { here.traced = true; }

void leave_frame(PyObject* frame) {
  if (here.is_deep) return;
  if (!state().covers_all) {
    if (here.looked_at != frame || here.looked_at_change != state().change) {
      here.stays = has_caller_that_needs_tracing(frame);
      here.looked_at = frame;
      here.looked_at_change = state().change;
    }
    if (here.stays) return;
  }
  dlscope_set_trace_here(nullptr, nullptr);
  here.traced = false;
}

}  // namespace dlscope::embed::traced_frames
