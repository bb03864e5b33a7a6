// The functions of `_dlscope` behind python/dlscope/_host_events.py: which lines, calls and exceptions of the user's code reach
// LineEvents, by sys.monitoring or a trace function.
// thread: any that runs Python code. GIL held.
#include <algorithm>
#include <utility>

#include "embed/guarded.h"
#include "embed/host/host_functions.h"
#include "embed/host/host_state.h"
#include "embed/host/line_events.h"
#include "embed/host/superinstructions.h"
#include "embed/host/traced_frames.h"
#include "embed/py_ref.h"

namespace dlscope::embed {

using host_state::none;

namespace {

PyObject* events_begin(PyObject*, PyObject* args) {
  PyObject *resolve = nullptr, *reached = nullptr;
  if (!PyArg_ParseTuple(args, "OO", &resolve, &reached)) return nullptr;
  LineEvents::get().begin(PyRef::share(resolve), PyRef::share(reached));
  return none();
}

// (bool): whether the calling thread is the stopped one; host_stop_begins and host_stop_ends set this as well.
PyObject* events_set_thread_stopped(PyObject*, PyObject* stopped) {
  return LineEvents::get().set_thread_stopped(stopped == Py_True), none();
}

PyObject* events_suspend_other_threads(PyObject*, PyObject* suspend) {
  return LineEvents::get().suspend_other_threads(suspend == Py_True), none();
}
PyObject* events_end(PyObject*, PyObject*) { return LineEvents::get().end(), none(); }
PyObject* events_forget_code(PyObject*, PyObject*) { return LineEvents::get().forget_code(), none(); }
PyObject* events_clear_step(PyObject*, PyObject*) { return LineEvents::get().clear_step(), none(); }

// (thread or 0, [frame, ...] or [] for any, the frame where it begins or None, its line, [(code, offset of a loop), ...])
PyObject* events_set_step(PyObject*, PyObject* args) {
  PyObject *frames = nullptr, *start = nullptr, *loops = nullptr;
  LineEvents::Step step;
  if (!PyArg_ParseTuple(args, "kOOlO", &step.thread, &frames, &start, &step.start_line, &loops)) return nullptr;
  for (Py_ssize_t i = 0; PyList_Check(frames) && i < PyList_Size(frames); ++i) {
    step.frames.push_back(PyRef::share(PyList_GetItem(frames, i)));
  }
  for (Py_ssize_t i = 0; PyList_Check(loops) && i < PyList_Size(loops); ++i) {
    PyObject* code = nullptr;
    long offset = 0;
    if (!PyArg_ParseTuple(PyList_GetItem(loops, i), "Ol", &code, &offset)) return nullptr;
    step.loops.push_back({PyRef::share(code), offset});
  }
  if (start != Py_None) step.start = PyRef::share(start);
  LineEvents::get().set_step(std::move(step));
  return none();
}

// sys.breakpointhook; in C, so that it leaves no frame in tracebacks. Its arguments, which are for pdb, are ignored.
PyObject* host_breakpoint(PyObject*, PyObject*, PyObject*) { return LineEvents::get().on_call(); }

// (table, sample), as superinstructions::begin(): whether events_on_start() can restore the superinstructions that events remove.
PyObject* events_join_instructions(PyObject*, PyObject* args) {
  PyObject *table = nullptr, *sample = nullptr;
  if (!PyArg_ParseTuple(args, "O!O", &PyTuple_Type, &table, &sample)) return nullptr;
  return PyBool_FromLong(superinstructions::begin(table, sample) ? 1 : 0);
}

// (code, instruction): PY_START, PY_RESUME
PyObject* events_on_start(PyObject*, PyObject* args) {
  return PyTuple_Size(args) < 1 ? none() : LineEvents::get().on_start(PyTuple_GetItem(args, 0));
}

// (code, instruction, exception): PY_THROW
PyObject* events_on_throw(PyObject*, PyObject* args) {
  return PyTuple_Size(args) < 1 ? none() : LineEvents::get().on_throw(PyTuple_GetItem(args, 0));
}

// (code, line)
PyObject* events_on_line(PyObject*, PyObject* args) {
  if (PyTuple_Size(args) < 2) return none();
  return LineEvents::get().on_line(PyTuple_GetItem(args, 0), PyLong_AsLong(PyTuple_GetItem(args, 1)));
}

// (code, instruction, where it jumps to)
PyObject* events_on_jump(PyObject*, PyObject* args) {
  if (PyTuple_Size(args) < 3) return none();
  return LineEvents::get().on_jump(PyTuple_GetItem(args, 0), PyLong_AsLong(PyTuple_GetItem(args, 2)));
}

// (code, instruction, exception)
PyObject* events_on_raise(PyObject*, PyObject* args) {
  return PyTuple_Size(args) < 3 ? none() : LineEvents::get().on_raise(PyTuple_GetItem(args, 0), PyTuple_GetItem(args, 2));
}

// (code, instruction, value): PY_RETURN
PyObject* events_on_return(PyObject*, PyObject* args) {
  return PyTuple_Size(args) < 1 ? none() : LineEvents::get().on_return(PyTuple_GetItem(args, 0));
}

// (events_trace_this_thread, only in code that needs it, threads, exceptions too, no frame of the user's code has begun).
// threads: 0 none,
// 1 this one, 2 all that already run.
PyObject* events_start_tracing(PyObject*, PyObject* args) {
  PyObject* tracer = nullptr;
  int only_needing_code = 0, threads = 0, raises = 0, no_user_frame_yet = 0;
  if (!PyArg_ParseTuple(args, "Opipp", &tracer, &only_needing_code, &threads, &raises, &no_user_frame_yet)) return nullptr;
  LineEvents::Tracing wanted;
  wanted.where = only_needing_code != 0 ? LineEvents::Where::needing_code : LineEvents::Where::everywhere;
  wanted.threads = static_cast<LineEvents::Threads>(std::clamp(threads, 0, 2));
  wanted.exceptions = raises != 0;
  wanted.no_user_frame_yet = no_user_frame_yet != 0;
  LineEvents::get().start_tracing(tracer, wanted);
  return none();
}

PyObject* events_sees_calls(PyObject*, PyObject* function) {
  return PyBool_FromLong(!traced_frames::is_possible() || traced_frames::sees_calls(function) ? 1 : 0);
}

PyObject* events_stop_tracing(PyObject*, PyObject*) { return LineEvents::get().stop_tracing(), none(); }

// A trace function for sys.settrace: when Python calls it, it installs the C trace function in its place.
PyObject* events_trace_this_thread(PyObject*, PyObject*) { return LineEvents::get().trace_this_thread(), none(); }

PyMethodDef methods[] = {
    {"host_breakpoint", guarded_keywords<host_breakpoint>(), METH_VARARGS | METH_KEYWORDS, nullptr},
    {"events_begin", guarded<events_begin>, METH_VARARGS, nullptr},
    {"events_set_thread_stopped", guarded<events_set_thread_stopped>, METH_O, nullptr},
    {"events_suspend_other_threads", guarded<events_suspend_other_threads>, METH_O, nullptr},
    {"events_end", guarded<events_end>, METH_NOARGS, nullptr},
    {"events_forget_code", guarded<events_forget_code>, METH_NOARGS, nullptr},
    {"events_set_step", guarded<events_set_step>, METH_VARARGS, nullptr},
    {"events_clear_step", guarded<events_clear_step>, METH_NOARGS, nullptr},
    {"events_join_instructions", guarded<events_join_instructions>, METH_VARARGS, nullptr},
    {"events_on_start", guarded<events_on_start>, METH_VARARGS, nullptr},
    {"events_on_throw", guarded<events_on_throw>, METH_VARARGS, nullptr},
    {"events_on_line", guarded<events_on_line>, METH_VARARGS, nullptr},
    {"events_on_jump", guarded<events_on_jump>, METH_VARARGS, nullptr},
    {"events_on_raise", guarded<events_on_raise>, METH_VARARGS, nullptr},
    {"events_on_return", guarded<events_on_return>, METH_VARARGS, nullptr},
    {"events_start_tracing", guarded<events_start_tracing>, METH_VARARGS, nullptr},
    {"events_sees_calls", guarded<events_sees_calls>, METH_O, nullptr},
    {"events_stop_tracing", guarded<events_stop_tracing>, METH_NOARGS, nullptr},
    {"events_trace_this_thread", guarded<events_trace_this_thread>, METH_VARARGS, nullptr},
    {nullptr, nullptr, 0, nullptr},
};

}  // namespace

PyMethodDef* host_event_methods() { return methods; }

}  // namespace dlscope::embed
