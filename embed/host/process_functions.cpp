// The functions of `_dlscope` that concern the host as a process: signals, crashes, forked children, exit.
// thread: GIL held, unless a function says otherwise.
#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <exception>
#include <new>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

#include "core/base/blocked_signals.h"
#include "embed/any_thread_gil.h"
#include "embed/guarded.h"
#include "embed/host/crash_guard.h"
#include "embed/host/forked_child.h"
#include "embed/host/host_functions.h"
#include "embed/host/host_service.h"
#include "embed/host/host_state.h"
#include "embed/host/line_events.h"
#include "embed/host/script_handlers.h"
#include "embed/py_ref.h"
#include "embed/without_gil.h"

namespace dlscope::embed {

using host_state::attached;
using host_state::none;
using host_state::service;

namespace {

unsigned long forks = 0;             // os.fork() calls of this process so far
PyObject* interrupt_rule = nullptr;  // _host_interrupts.may_interrupt; null: every interrupt is allowed

PyObject* host_nothing_to_interrupt(PyObject*, PyObject*) {
  if (service != nullptr && !is_forked_child()) service->serving().nothing_to_interrupt();
  LineEvents::get().take_back_interrupt();
  return none();
}

PyObject* host_is_child(PyObject*, PyObject*) { return PyBool_FromLong(is_forked_child() ? 1 : 0); }

// (exit_code): finalises Python as at the end of any program, then ends the process; never returns. A library that crashes in
// this crashes at the end of `python SCRIPT` as well. The wire's thread needs nothing of Python and keeps running meanwhile, so
// that a host whose viewer has gone ends even where finalising hangs. The script's handlers are back, for what it does at exit.
PyObject* host_exit(PyObject*, PyObject* exit_code) {
  const long code = PyLong_AsLong(exit_code);
  if (PyErr_Occurred() != nullptr) return nullptr;
  if (!ScriptHandlers::get().put_back()) PyErr_Clear();
  Py_Exit(static_cast<int>(code));
}

PyObject* host_before_fork(PyObject*, PyObject*) {
  if (service != nullptr && !is_forked_child()) service->before_fork();
  return none();
}

// A pending call. Where the thread cannot be started, later pending calls try again (once the script's child has ended there is
// room for a thread), and so does host_next when the run is over.
int restart_wire_thread_call(void*) {
  if (is_forked_child()) return 0;
  if (service->wire_thread().restart() == WireThread::Restart::later) Py_AddPendingCall(restart_wire_thread_call, nullptr);
  return 0;
}

// Does not restart the wire's thread at once, because from 3.13 on Python warns of any thread that exists when this hook returns:
// a pending call on the main thread comes later.
PyObject* host_after_fork(PyObject*, PyObject*) {
  ++forks;
  if (service == nullptr || is_forked_child()) return none();
  if (!service->on_main_thread() || Py_AddPendingCall(restart_wire_thread_call, nullptr) != 0) restart_wire_thread_call(nullptr);
  return none();
}

PyObject* host_after_fork_in_child(PyObject*, PyObject*) {
  ScriptHandlers::get().continue_in_child();
  return none();
}

PyObject* host_forks(PyObject*, PyObject*) { return PyLong_FromUnsignedLong(forks); }

// Flushes the stdio buffers of C, with what C code printed.
PyObject* host_flush(PyObject*, PyObject*) {
  {
    const WithoutGil released;
    std::fflush(nullptr);
  }
  return none();
}

// A descriptor number that nothing else is likely to take: the highest one that the process may have, but at most 65535.
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
PyObject* host_copy_crash_stack_to(PyObject*, PyObject* fd) {
  const long number = PyLong_AsLong(fd);
  if (PyErr_Occurred() != nullptr) return nullptr;
  copy_crash_stack_to(static_cast<int>(number));
  return none();
}

struct Permission {
  bool now = false;
  std::string import;  // the module whose import has to end first; "": none
};

// Asks interrupt_rule whether KeyboardInterrupt may be raised in the frame. nullopt: a Python error is set.
std::optional<Permission> may_interrupt(PyObject* frame) {
  if (interrupt_rule == nullptr) return Permission{true, {}};
  PyObject* asked_again = service->interruption().is_repeated() ? Py_True : Py_False;
  const PyRef answer = PyRef::steal(PyObject_CallFunctionObjArgs(interrupt_rule, frame, asked_again, nullptr));
  if (!answer) return std::nullopt;
  return Permission{answer.get() == Py_True, PyUnicode_Check(answer.get()) != 0 ? text_of(answer.get()) : std::string()};
}

// Tells the user, once per run, that Stop has to wait until this module is imported.
void report_delay_by_import(std::string_view module) {
  if (!service->interruption().is_first_report()) return;
  try {
    service->notice(
        fmt::format("Stop waits until the import of {} is over: cut short, it may not be importable again before Python is "
                    "restarted. Stop once more to interrupt it.",
                    module));
  } catch (const std::exception&) {  // std::bad_alloc: the script must not get it, which is about to be interrupted
  }
}

// Interrupts what the stopped thread runs. Where that is not allowed now, or the thread left the frame while the rule was asked,
// the wire's thread calls again.
void interrupt_stopped_thread() {
  if (!service->interruption().waits()) return;
  LineEvents& events = LineEvents::get();
  const LineEvents::EventsIgnored events_ignored;
  const PyRef frame = events.frame_of_stopped_thread();
  if (!frame) return;
  const auto permission = may_interrupt(frame.get());
  if (!permission) return PyErr_Clear();
  if (!permission->import.empty()) report_delay_by_import(permission->import);
  if (!permission->now || !service->interruption().waits() || !events.interrupt_stopped_thread(frame.get())) return;
  service->serving().note_interrupt_taken();
}

std::atomic<bool> interrupt_thread_runs{false};

void run_interrupt_thread() {
  core::block_signals_but_faults();
  const AnyThreadGil gil;
  interrupt_thread_runs = false;  // a request from here on needs a new thread
  try {
    if (gil && !is_forked_child()) interrupt_stopped_thread();
  } catch (const std::exception&) {  // std::bad_alloc; one that left this thread would end the user's process
  }
}

// thread: the wire's, without the GIL. Only a thread of its own may wait for the GIL.
void start_interrupt_thread() {
  if (interrupt_thread_runs.exchange(true)) return;
  try {
    std::thread(run_interrupt_thread).detach();
  } catch (const std::exception&) {  // no thread can be made (RLIMIT_NPROC, no memory): the wire's thread calls again
    interrupt_thread_runs = false;
  }
}

PyObject* host_begin_script_handlers(PyObject*, PyObject*) { return ScriptHandlers::get().begin() ? none() : nullptr; }
PyObject* host_install_interrupt_handler(PyObject*, PyObject*) {
  return ScriptHandlers::get().install_interrupt_handler() ? none() : nullptr;
}
PyObject* host_handlers_are_aside(PyObject*, PyObject*) { return PyBool_FromLong(ScriptHandlers::get().are_aside() ? 1 : 0); }
PyObject* host_set_handlers_aside(PyObject*, PyObject*) { return ScriptHandlers::get().set_aside(), none(); }
PyObject* host_put_handlers_back(PyObject*, PyObject*) { return ScriptHandlers::get().put_back() ? none() : nullptr; }

// (callable, *arguments, **keywords): calls it with the script's handlers of signals in their places: for the script's own code.
// In C, so that no instruction of the host's Python code runs with them.
PyObject* host_run_user_code(PyObject*, PyObject* args, PyObject* keywords) {
  const PyRef arguments = PyRef::steal(PyTuple_GetSlice(args, 1, PyTuple_Size(args)));
  if (!arguments || PyTuple_Size(args) < 1) return nullptr;
  ScriptHandlers& handlers = ScriptHandlers::get();
  const bool were_aside = handlers.are_aside();
  if (!handlers.put_back()) return handlers.set_aside(), nullptr;
  PyRef result = PyRef::steal(PyObject_Call(PyTuple_GetItem(args, 0), arguments.get(), keywords));
  if (were_aside) handlers.set_aside();
  if (!result) handlers.forget_exception();  // the code has raised one already
  return handlers.take_exception() ? nullptr : result.release();
}

// (rule or None)
PyObject* host_set_interrupt_rule(PyObject*, PyObject* rule) {
  PyObject* const before = std::exchange(interrupt_rule, rule == Py_None ? nullptr : PyRef::share(rule).release());
  Py_XDECREF(before);  // after the exchange: what runs here may ask the rule
  if (service != nullptr) service->interruption().on_interrupt_of_thread(start_interrupt_thread);
  return none();
}

// Takes the place of signal.default_int_handler: raises KeyboardInterrupt, but in a host only while something that may be
// interrupted runs, and not before interrupt_rule (python/dlscope/_host_interrupts.py) allows it.
PyObject* default_int_handler(PyObject*, PyObject* args) {
  if (service != nullptr && !is_forked_child()) {
    if (!service->interruption().is_possible()) return none();
    service->serving().note_interrupt_taken();
    // Ctrl+C in a terminal reaches the main thread, but is meant for the stopped one
    if (LineEvents::get().is_stopped_outside_main_thread()) {
      service->intake().interrupt_what_runs();
      return none();
    }
    const auto permission = may_interrupt(PyTuple_Size(args) >= 2 ? PyTuple_GetItem(args, 1) : Py_None);
    if (!permission) return nullptr;
    if (!permission->import.empty()) {
      service->interruption().defer();
      report_delay_by_import(permission->import);
      return none();
    }
    if (!permission->now) {
      service->interruption().defer();
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
    {"host_after_fork_in_child", guarded<host_after_fork_in_child>, METH_NOARGS, nullptr},
    {"host_forks", guarded<host_forks>, METH_NOARGS, nullptr},
    {"host_flush", guarded<host_flush>, METH_NOARGS, nullptr},
    {"host_dump_fd", guarded<host_dump_fd>, METH_NOARGS, nullptr},
    {"host_guard_crashes", guarded<host_guard_crashes>, METH_VARARGS, nullptr},
    {"host_copy_crash_stack_to", guarded<host_copy_crash_stack_to>, METH_O, nullptr},
    {"host_begin_script_handlers", guarded<host_begin_script_handlers>, METH_NOARGS, nullptr},
    {"host_install_interrupt_handler", guarded<host_install_interrupt_handler>, METH_NOARGS, nullptr},
    {"host_handlers_are_aside", guarded<host_handlers_are_aside>, METH_NOARGS, nullptr},
    {"host_set_handlers_aside", guarded<host_set_handlers_aside>, METH_NOARGS, nullptr},
    {"host_put_handlers_back", guarded<host_put_handlers_back>, METH_NOARGS, nullptr},
    {"host_run_user_code", guarded_keywords<host_run_user_code>(), METH_VARARGS | METH_KEYWORDS, nullptr},
    {"host_set_interrupt_rule", guarded<host_set_interrupt_rule>, METH_O, nullptr},
    {"default_int_handler", guarded<default_int_handler>, METH_VARARGS,
     "The default handler for SIGINT: raises KeyboardInterrupt, after the import in progress where there is one."},
    {nullptr, nullptr, 0, nullptr},
};

}  // namespace

PyMethodDef* host_process_methods() { return methods; }

}  // namespace dlscope::embed
