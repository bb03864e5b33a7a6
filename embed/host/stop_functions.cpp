// The functions of `_dlscope` behind python/dlscope/_host_stops.py and _host_frame.py: the frames of a stop, the messages to the
// viewer about stops and breakpoints.
// thread: GIL held, unless a function says otherwise.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <exception>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <variant>
#include <vector>

#include "core/base/blocked_signals.h"
#include "embed/any_thread_gil.h"
#include "embed/guarded.h"
#include "embed/host/forked_child.h"
#include "embed/host/host_functions.h"
#include "embed/host/host_request.h"
#include "embed/host/host_state.h"
#include "embed/host/line_events.h"
#include "embed/host/script_handlers.h"
#include "embed/objects/user_code.h"
#include "embed/scan/frame_locals.h"
#include "embed/stored.h"
#include "embed/without_gil.h"

namespace dlscope::embed {

// Up to 3.12: copies the dict behind frame.f_locals into the frame's variables.
extern "C" __attribute__((weak)) void dlscope_locals_to_fast(PyObject* frame, int clear) __asm__("PyFrame_LocalsToFast");

using host_state::attached;
using host_state::none;
using host_state::service;

namespace {

PyObject* changes_callback = nullptr;  // _host_stops.take_changes; set once, never released
std::atomic<bool> changes_pending{false}, taker_thread_runs{false};
std::mutex pending_mutex;     // held to add the pending call and to write changes_pending, which must agree
bool taking_changes = false;  // in take_changes() right now; protected by the GIL
constexpr int kAttempts = 5;
constexpr std::chrono::milliseconds kBetweenAttempts{10};

void set_pending(bool pending) {
  const std::lock_guard lock(pending_mutex);
  changes_pending = pending;
}

// A pending call: runs on Python's main thread between two instructions. While it runs, changes_pending stays true so that no
// other one is added: a pending call never begins inside another, and Python 3.11 under a trace function executes the first
// instruction of a call again and again for as long as one waits.
int take_changes(void*) {
  if (is_forked_child() || changes_callback == nullptr || taking_changes) return 0;
  taking_changes = true;
  const LineEvents::EventsIgnored events_ignored;
  set_pending(true);
  ScriptHandlers& handlers = ScriptHandlers::get();
  const bool handlers_aside = handlers.are_aside();
  try {
    handlers.set_aside();
    const PyRef done = PyRef::steal(PyObject_CallFunctionObjArgs(changes_callback, nullptr));
    if (!done) clear_and_interrupt_later();
  } catch (const std::exception&) {  // std::bad_alloc. C calls this function; the wire's thread asks again for changes that were not taken
  }
  taking_changes = false;
  set_pending(false);  // the wire's thread calls wake_python() again for changes that arrived meanwhile
  return handlers_aside || handlers.put_back() ? 0 : -1;
}

// thread: one of its own. A pending call that was added without the GIL is noticed by running Python code only when another
// thread asks for the GIL: so this thread asks for it. Where the main thread does not run Python code (it waits for a lock, or is
// in C code that has released the GIL), this thread takes the changes itself.
void ensure_changes_are_taken() {
  core::block_signals_but_faults();
  for (int attempt = 0; attempt < kAttempts && changes_pending; ++attempt) {
    if (!AnyThreadGil()) break;
    std::this_thread::sleep_for(kBetweenAttempts);
  }
  if (changes_pending) {
    const AnyThreadGil gil;
    if (gil) take_changes(nullptr);
  }
  taker_thread_runs = false;
}

// thread: the wire's, without the GIL. Called repeatedly until the changes have been taken.
void wake_python() {
  {
    const std::lock_guard lock(pending_mutex);
    if (!changes_pending) changes_pending = Py_AddPendingCall(take_changes, nullptr) == 0;
  }
  if (taker_thread_runs.exchange(true)) return;
  try {
    std::thread(ensure_changes_are_taken).detach();
  } catch (const std::exception&) {  // no thread can be made (RLIMIT_NPROC, no memory): the pending call alone has to do
    taker_thread_runs = false;
  }
}

// (callable): will be called, on the main thread where that is possible, when breakpoints change or a pause is requested while
// user code runs.
PyObject* host_on_changes(PyObject*, PyObject* callable) {
  if (attached() == nullptr) return nullptr;
  changes_callback = PyRef::share(callable).release();
  service->intake().on_change(wake_python);
  return none();
}

// A list of dicts with "kind": "breakpoints" (change_as_dict) or "pause".
PyObject* host_take_changes(PyObject*, PyObject*) {
  if (attached() == nullptr) return nullptr;
  PyRef list = PyRef::steal(PyList_New(0));
  for (const Change& change : service->serving().take_changes()) {
    const PyRef entry = std::visit([](const auto& each) { return change_as_dict(each); }, change);
    if (!list || !entry || PyList_Append(list.get(), entry.get()) != 0) return nullptr;
  }
  return list.release();
}

// entry: (frame, line, heading). nullopt: a Python error is set.
std::optional<core::wire::StackFrame> stack_frame_of(PyObject* entry) {
  PyObject *frame = nullptr, *heading = nullptr;
  unsigned line = 0;
  if (!PyArg_ParseTuple(entry, "OIO", &frame, &line, &heading)) return std::nullopt;
  FrameFacts facts = facts_of_frame(frame);
  const bool is_users = frame_is_users(frame);
  return core::wire::StackFrame{std::move(facts.function), std::move(facts.file), line, is_users, text_of(heading)};
}

// (stop, reason, thread, message, breakpoint, [(frame, line, heading), ...] innermost first)
PyObject* host_stop_begins(PyObject*, PyObject* args) {
  unsigned long long stop = 0, breakpoint = 0;
  unsigned reason = 0;
  PyObject *thread = nullptr, *text = nullptr, *frames = nullptr;
  if (!PyArg_ParseTuple(args, "KIOOKO", &stop, &reason, &thread, &text, &breakpoint, &frames) || attached() == nullptr)
    return nullptr;
  core::wire::Stopped message{stop, static_cast<core::wire::StopReason>(reason), text_of(thread), text_of(text), breakpoint, {}};
  for (Py_ssize_t i = 0; PyList_Check(frames) && i < PyList_Size(frames); ++i) {
    auto entry = stack_frame_of(PyList_GetItem(frames, i));
    if (!entry) return nullptr;
    message.frames.push_back(std::move(*entry));
  }
  PyErr_Clear();
  LineEvents::get().set_thread_stopped(true);
  const WithoutGil released;
  service->stops().enter(std::move(message));
  return none();
}

// (stop, thread, message, [(frame, line, heading), ...] innermost first): tells the viewer that the frames of an uncaught
// exception are kept. thread: the name of the thread that the exception ended, "" if it ended the script.
PyObject* host_report_kept_frames(PyObject*, PyObject* args) {
  unsigned long long stop = 0;
  PyObject *thread = nullptr, *text = nullptr, *frames = nullptr;
  if (!PyArg_ParseTuple(args, "KOOO", &stop, &thread, &text, &frames) || attached() == nullptr) return nullptr;
  core::wire::Stopped message{stop, core::wire::StopReason::ended, text_of(thread), text_of(text), 0, {}};
  for (Py_ssize_t i = 0; PyList_Check(frames) && i < PyList_Size(frames); ++i) {
    auto entry = stack_frame_of(PyList_GetItem(frames, i));
    if (!entry) return nullptr;
    message.frames.push_back(std::move(*entry));
  }
  PyErr_Clear();
  const WithoutGil released;
  service->send(message);
  return none();
}

PyObject* host_stop_ends(PyObject*, PyObject*) {
  if (attached() == nullptr) return nullptr;
  LineEvents::get().take_back_interrupt();  // an interrupt meant for what ran at the stop must not reach the script
  LineEvents::get().set_thread_stopped(false);
  const WithoutGil released;
  service->stops().leave();
  return none();
}

// [(id, line, hits, message), ...]
PyObject* host_breakpoint_states(PyObject*, PyObject* states) {
  if (attached() == nullptr) return nullptr;
  core::wire::BreakpointsChanged message;
  for (Py_ssize_t i = 0; PyList_Check(states) && i < PyList_Size(states); ++i) {
    unsigned long long id = 0, hits = 0;
    unsigned line = 0;
    PyObject* text = nullptr;
    if (!PyArg_ParseTuple(PyList_GetItem(states, i), "KIKO", &id, &line, &hits, &text)) return nullptr;
    message.all.push_back({id, line, hits, text_of(text)});
  }
  const WithoutGil released;
  service->send(message);
  return none();
}

PyObject* host_is_user_file(PyObject*, PyObject* file) { return PyBool_FromLong(is_users_file(text_of(file)) ? 1 : 0); }
PyObject* host_is_user_code(PyObject*, PyObject* code) { return PyBool_FromLong(is_users_code(code) ? 1 : 0); }

// (frame): a new dict of its local variables.
PyObject* host_locals(PyObject*, PyObject* frame) { return as_dict(locals_of_frame(frame)).release(); }

// (frame of a function, (name, ...)): a new dict of the variables with these names that are bound.
PyObject* host_variables(PyObject*, PyObject* args) {
  if (PyTuple_Size(args) != 2) return PyErr_SetString(PyExc_TypeError, "a frame and a tuple of names"), nullptr;
  return as_dict(variables_of_frame(PyTuple_GetItem(args, 0), PyTuple_GetItem(args, 1))).release();
}

// (frame, dict): from now on these names count as locals of that frame, until host_forget_added_names(frame).
PyObject* host_add_names(PyObject*, PyObject* args) {
  PyObject *frame = nullptr, *names = nullptr;
  if (!PyArg_ParseTuple(args, "OO!", &frame, &PyDict_Type, &names)) return nullptr;
  add_names_to_frame(frame, names);
  return PyErr_Occurred() != nullptr ? nullptr : none();
}

PyObject* host_forget_added_names(PyObject*, PyObject* frame) {
  forget_added_names(frame);
  return none();
}

// (frame, dict): assigns variables of a function's frame. False: not possible with this Python.
PyObject* host_set_locals(PyObject*, PyObject* args) {
  PyObject *frame = nullptr, *values = nullptr;
  if (!PyArg_ParseTuple(args, "OO", &frame, &values)) return nullptr;
  const PyRef locals = PyRef::steal(PyObject_GetAttrString(frame, "f_locals"));  // from 3.13 on the variables themselves
  if (!locals) return nullptr;
  const bool is_snapshot = PyDict_Check(locals.get()) != 0;
  if (is_snapshot && dlscope_locals_to_fast == nullptr) return PyBool_FromLong(0);
  PyObject *name = nullptr, *value = nullptr;
  Py_ssize_t position = 0;
  while (PyDict_Next(values, &position, &name, &value) != 0) {
    if (PyObject_SetItem(locals.get(), name, value) != 0) return nullptr;
  }
  if (is_snapshot) {
    dlscope_locals_to_fast(frame, 0);
    if (Py_REFCNT(locals.get()) == 2 && !is_traced(frame)) PyDict_Clear(locals.get());  // else it keeps the old values alive
  }
  return PyBool_FromLong(1);
}

PyMethodDef methods[] = {
    {"host_on_changes", guarded<host_on_changes>, METH_O, nullptr},
    {"host_take_changes", guarded<host_take_changes>, METH_NOARGS, nullptr},
    {"host_stop_begins", guarded<host_stop_begins>, METH_VARARGS, nullptr},
    {"host_report_kept_frames", guarded<host_report_kept_frames>, METH_VARARGS, nullptr},
    {"host_stop_ends", guarded<host_stop_ends>, METH_NOARGS, nullptr},
    {"host_breakpoint_states", guarded<host_breakpoint_states>, METH_O, nullptr},
    {"host_is_user_file", guarded<host_is_user_file>, METH_O, nullptr},
    {"host_is_user_code", guarded<host_is_user_code>, METH_O, nullptr},
    {"host_locals", guarded<host_locals>, METH_O, nullptr},
    {"host_variables", guarded<host_variables>, METH_VARARGS, nullptr},
    {"host_add_names", guarded<host_add_names>, METH_VARARGS, nullptr},
    {"host_forget_added_names", guarded<host_forget_added_names>, METH_O, nullptr},
    {"host_set_locals", guarded<host_set_locals>, METH_VARARGS, nullptr},
    {nullptr, nullptr, 0, nullptr},
};

}  // namespace

PyMethodDef* host_stop_methods() { return methods; }

}  // namespace dlscope::embed
