// The functions of `_dlscope` for what the host is as a process: its signals and crashes, its children, its end.
#include <sys/resource.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <new>
#include <optional>
#include <string>
#include <system_error>
#include <thread>

#include "embed/any_thread_gil.h"
#include "embed/guarded.h"
#include "embed/host/crash_guard.h"
#include "embed/host/host_functions.h"
#include "embed/host/host_service.h"
#include "embed/host/host_state.h"
#include "embed/host/host_threads.h"
#include "embed/host/line_events.h"
#include "embed/py_ref.h"
#include "embed/without_gil.h"

namespace dlscope::embed {

using host_state::attached;
using host_state::none;
using host_state::service;

namespace {

unsigned long forks = 0;             // that Python has made in this process
PyObject* interrupt_rule = nullptr;  // _host_interrupts.may_interrupt; null: always

PyObject* host_nothing_to_interrupt(PyObject*, PyObject*) {
  if (service != nullptr && !HostService::is_forked_child()) service->nothing_to_interrupt();
  LineEvents::get().take_back_interrupt();
  return none();
}

PyObject* host_is_child(PyObject*, PyObject*) { return PyBool_FromLong(HostService::is_forked_child() ? 1 : 0); }

// (exit_code): Python takes itself down as at the end of any program, then the process; never returns. A library that does
// not survive this does not survive `python SCRIPT` either. The wire's thread wants nothing from Python and goes on, so
// that a host without a viewer still ends.
PyObject* host_exit(PyObject*, PyObject* exit_code) {
  const long code = PyLong_AsLong(exit_code);
  if (PyErr_Occurred() != nullptr) return nullptr;
  Py_Exit(static_cast<int>(code));
}

PyObject* host_before_fork(PyObject*, PyObject*) {
  if (service != nullptr && !HostService::is_forked_child()) service->before_fork();
  return none();
}

// Where that does not succeed, it is tried again by later pending calls (a script that waited for its child has room at once), and
// by host_next when the run is over.
int restart_wire(void*) {
  if (HostService::is_forked_child()) return 0;
  try {
    if (service->listen_again() == HostService::Restart::later) Py_AddPendingCall(restart_wire, nullptr);
  } catch (const std::bad_alloc&) {
    return PyErr_NoMemory(), -1;
  }
  return 0;
}

// Not at once: from 3.13 on Python counts the threads when this hook is over. A pending call of the main thread is later.
PyObject* host_after_fork(PyObject*, PyObject*) {
  ++forks;
  if (service == nullptr || HostService::is_forked_child()) return none();
  if (!service->on_main_thread() || Py_AddPendingCall(restart_wire, nullptr) != 0) restart_wire(nullptr);
  return none();
}

PyObject* host_forks(PyObject*, PyObject*) { return PyLong_FromUnsignedLong(forks); }

// What C code printed.
PyObject* host_flush(PyObject*, PyObject*) {
  {
    const WithoutGil released;
    std::fflush(nullptr);
  }
  return none();
}

// A descriptor number that nothing else is likely to take: the highest one the process may have, within reason.
PyObject* host_dump_fd(PyObject*, PyObject*) {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) limit.rlim_cur = 256;
  return PyLong_FromLong(static_cast<long>(std::min<rlim_t>(limit.rlim_cur, 65536)) - 1);
}

// (dump_fd, own_frames); embed/host/crash_guard.h
PyObject* host_guard_crashes(PyObject*, PyObject* args) {
  CrashGuardOptions options;
  const char* own_frames = nullptr;
  if (!PyArg_ParseTuple(args, "is", &options.dump_fd, &own_frames) || attached() == nullptr) return nullptr;
  options.own_frames = own_frames;
  guard_crashes(service->header(), options);
  return none();
}

// (descriptor or -1)
PyObject* host_echo_crashes(PyObject*, PyObject* fd) {
  const long number = PyLong_AsLong(fd);
  if (PyErr_Occurred() != nullptr) return nullptr;
  echo_crashes(static_cast<int>(number));
  return none();
}

struct Permission {
  bool now = false;
  std::string import;  // not "": when the import of that module is over
};

// Asks the rule whether KeyboardInterrupt may be raised in the frame. nullopt: a Python error is set.
std::optional<Permission> may_interrupt(PyObject* frame) {
  if (interrupt_rule == nullptr) return Permission{true, {}};
  PyObject* insists = service->interrupt_repeated() ? Py_True : Py_False;
  const PyRef answer = PyRef::steal(PyObject_CallFunctionObjArgs(interrupt_rule, frame, insists, nullptr));
  if (!answer) return std::nullopt;
  return Permission{answer.get() == Py_True, PyUnicode_Check(answer.get()) != 0 ? text_of(answer.get()) : std::string()};
}

// Interrupts what the thread at a stop runs. Where that may not be now, or the thread has left the frame while the rule was asked,
// HostService asks again. thread: GIL held.
void interrupt_standing_thread() {
  if (!service->interrupt_waits()) return;
  LineEvents& events = LineEvents::get();
  const LineEvents::OwnWork ours;
  const PyRef frame = events.standing_frame();
  if (!frame) return;
  const auto permission = may_interrupt(frame.get());
  if (!permission) return PyErr_Clear();
  if (!permission->import.empty()) service->report_import(permission->import);
  if (!permission->now || !service->interrupt_waits() || !events.interrupt_standing_thread(frame.get())) return;
  service->interrupt_came();
}

std::atomic<bool> interrupter_runs{false};

void take_gil_and_interrupt() {
  block_signals_but_faults();
  {
    const AnyThreadGil gil;
    interrupter_runs = false;  // what is asked for from here on starts another
    if (gil && !HostService::is_forked_child()) interrupt_standing_thread();
  }
}

// The wire's thread.
void interrupt_thread() {
  if (interrupter_runs.exchange(true)) return;
  try {
    std::thread(take_gil_and_interrupt).detach();
  } catch (const std::system_error&) {  // the user's limit of threads: it is tried again
    interrupter_runs = false;
  }
}

// (rule or None)
PyObject* host_interrupt_rule(PyObject*, PyObject* rule) {
  Py_XDECREF(interrupt_rule);
  interrupt_rule = rule == Py_None ? nullptr : PyRef::share(rule).release();
  if (service != nullptr) service->on_interrupt_of_thread(interrupt_thread);
  return none();
}

// Stands for signal.default_int_handler: raises KeyboardInterrupt, but in a host only while there is something to
// interrupt, and not before the rule (python/dlscope/_host_interrupts.py) allows it.
PyObject* default_int_handler(PyObject*, PyObject* args) {
  if (service != nullptr && !HostService::is_forked_child()) {
    if (!service->interruptible()) return none();
    service->interrupt_came();
    if (LineEvents::get().stands_in_another_thread()) {  // Ctrl+C in a terminal: that thread runs what is to be interrupted
      service->interrupt();
      return none();
    }
    const auto permission = may_interrupt(PyTuple_Size(args) >= 2 ? PyTuple_GetItem(args, 1) : Py_None);
    if (!permission) return nullptr;
    if (!permission->import.empty()) {
      service->defer_interrupt_for_import(permission->import);
      return none();
    }
    if (!permission->now) {
      service->defer_interrupt();
      return none();
    }
  }
  PyErr_SetNone(PyExc_KeyboardInterrupt);
  return nullptr;
}

PyMethodDef methods[] = {
    {"host_nothing_to_interrupt", guarded<host_nothing_to_interrupt>, METH_NOARGS, nullptr},
    {"host_is_child", guarded<host_is_child>, METH_NOARGS, nullptr},
    {"host_exit", guarded<host_exit>, METH_O, nullptr},
    {"host_before_fork", guarded<host_before_fork>, METH_NOARGS, nullptr},
    {"host_after_fork", guarded<host_after_fork>, METH_NOARGS, nullptr},
    {"host_forks", guarded<host_forks>, METH_NOARGS, nullptr},
    {"host_flush", guarded<host_flush>, METH_NOARGS, nullptr},
    {"host_dump_fd", guarded<host_dump_fd>, METH_NOARGS, nullptr},
    {"host_guard_crashes", guarded<host_guard_crashes>, METH_VARARGS, nullptr},
    {"host_echo_crashes", guarded<host_echo_crashes>, METH_O, nullptr},
    {"host_interrupt_rule", guarded<host_interrupt_rule>, METH_O, nullptr},
    {"default_int_handler", guarded<default_int_handler>, METH_VARARGS,
     "The default handler for SIGINT: raises KeyboardInterrupt, after the import in progress where there is one."},
    {nullptr, nullptr, 0, nullptr},
};

}  // namespace

PyMethodDef* host_process_methods() { return methods; }

}  // namespace dlscope::embed
