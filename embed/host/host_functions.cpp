#include "embed/host/host_functions.h"

#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/build_id.h"
#include "embed/guarded.h"
#include "embed/host/acts.h"
#include "embed/host/crash_guard.h"
#include "embed/host/object_questions.h"
#include "embed/host/host_request.h"
#include "embed/host/host_service.h"
#include "embed/host/leases.h"
#include "embed/host/host_state.h"
#include "embed/host/line_events.h"
#include "embed/host/remember_looks.h"
#include "embed/interrupts.h"
#include "embed/py_ref.h"
#include "embed/runtime.h"
#include "embed/scan/name_lookup.h"
#include "embed/without_gil.h"

namespace dlscope::embed {

using host_state::attached;
using host_state::leases;
using host_state::none;
using host_state::service;

namespace {

constexpr std::chrono::milliseconds kUntilNextTry{50};  // to have the wire's thread again

std::optional<core::wire::Start> act;  // the one that host_next has returned; host_act carries it out
PyObject* interrupt_rule = nullptr;  // _host_interrupts.may_interrupt; null: always

void publish(const core::SnapshotPtr& snapshot, core::Scanned scanned) {
  if (HostService::is_forked_child()) return;
  Runtime& runtime = Runtime::get();
  const std::uint64_t run = runtime.run;
  runtime.published = snapshot;
  const WithoutGil released;
  service->publish(snapshot, scanned, run);
}

// (region_fd, version, executable, prefix, base_prefix): RuntimeError in words when this process cannot be a host.
PyObject* host_attach(PyObject*, PyObject* args) {
  int fd = -1;
  PyObject *version = nullptr, *executable = nullptr, *prefix = nullptr, *base_prefix = nullptr;
  if (!PyArg_ParseTuple(args, "iOOOO", &fd, &version, &executable, &prefix, &base_prefix)) return nullptr;
  if (service != nullptr) {
    PyErr_SetString(PyExc_RuntimeError, "this process is a dlscope host already");
    return nullptr;
  }
  core::wire::Hello hello;
  hello.build_id = core::build_id();
  hello.pid = getpid();
  hello.python_version = text_of(version);
  hello.executable = text_of(executable);
  hello.prefix = text_of(prefix);
  hello.base_prefix = text_of(base_prefix);
  auto started = HostService::start(fd, hello);
  if (!started) {
    PyErr_SetString(PyExc_RuntimeError, started.error().message.c_str());
    return nullptr;
  }
  service = *started;
  leases = new Leases([](const core::wire::LeaseChanged& change) { service->send(change); });
  Runtime::get().publish = publish;
  return none();
}

// (milliseconds or None): waits without the GIL; a dict with "kind": "run", "ask", "act", "scan", "resume", "changes" or "shutdown", or None when the
// time is over. Handlers of signals that come meanwhile run.
PyObject* host_next(PyObject*, PyObject* milliseconds) {
  std::optional<std::chrono::milliseconds> at_most;
  if (milliseconds != Py_None) at_most = std::chrono::milliseconds(PyLong_AsLong(milliseconds));
  if (PyErr_Occurred() != nullptr || attached() == nullptr) return nullptr;
  for (;;) {
    const bool listens = service->listen_again() == HostService::Restart::done;
    std::optional<HostService::Request> request;
    {
      const WithoutGil released;
      request = service->next(listens ? at_most : std::min(at_most.value_or(kUntilNextTry), kUntilNextTry));
    }
    if (!request) {
      if (PyErr_CheckSignals() != 0) return nullptr;
      if (at_most) return none();
    } else if (const auto* run = std::get_if<core::wire::Run>(&*request)) {
      note_code_runs();
      if (run->stop == 0) {  // what runs at a stop is a part of the run that stands there
        Runtime::get().run = run->run;
        host_state::statistics_wanted = run->statistics;
        if (run->fresh_namespace) Runtime::get().clear_events();
      }
      return request_as_dict(*run).release();
    } else if (const auto* question = std::get_if<core::wire::Ask>(&*request)) {
      return request_as_dict(*question).release();
    } else if (auto* start = std::get_if<core::wire::Start>(&*request)) {
      act = std::move(*start);
      return Py_BuildValue("{s:s}", "kind", "act");
    } else if (const auto* resume = std::get_if<core::wire::Resume>(&*request)) {
      note_code_runs();
      return request_as_dict(*resume).release();
    } else if (std::holds_alternative<HostService::ChangesWait>(*request)) {
      return Py_BuildValue("{s:s}", "kind", "changes");
    } else if (const auto* scan = std::get_if<core::wire::Scan>(&*request)) {
      return Py_BuildValue("{s:s,s:K}", "kind", "scan", "request", static_cast<unsigned long long>(scan->request));
    } else {
      return Py_BuildValue("{s:s}", "kind", "shutdown");
    }
  }
}

using core::wire::Work;

// On which tensor of which snapshot; nullopt: on none.
std::optional<core::wire::TensorRef> tensor_of(const Work& work) {
  if (const auto* hold = std::get_if<core::wire::Hold>(&work)) return hold->tensor;
  if (const auto* hand = std::get_if<core::wire::HandTo>(&work)) return hand->tensor;
  if (const auto* copy = std::get_if<core::wire::CopyTensor>(&work)) return copy->tensor;
  if (const auto* write = std::get_if<core::wire::WriteBytes>(&work)) return write->tensor;
  const auto* prove = std::get_if<core::wire::Prove>(&work);
  if (prove == nullptr || prove->tensors.empty()) return std::nullopt;
  return core::wire::TensorRef{prove->revision, prove->tensors.front()};
}

core::Result<ActDone> carry_out(std::uint64_t id, const Work& work, const ProgramNames& names, PyObject* exchange) {
  const auto with_words = [](core::Result<std::string> words) -> core::Result<ActDone> {
    if (!words) return std::unexpected(words.error());
    return ActDone{std::move(*words), {}};
  };
  if (const auto* release = std::get_if<core::wire::Release>(&work)) return with_words(leases->release(release->lease));
  const auto tensor = tensor_of(work);
  if (!tensor) return core::fail(core::ErrorKind::unsupported, "this is nothing that Python's thread does");
  const auto snapshot = service->tasks().snapshot_of(*tensor);
  if (!snapshot) return std::unexpected(snapshot.error());
  const std::stop_token stop = service->stop_token();
  const ActContext context{**snapshot, names, exchange, [id, stop](std::uint64_t done, std::uint64_t total) {
                             service->send(core::wire::Progress{id, done, total, core::wire::ProgressUnit::bytes}, WhenFull::drop);
                             return !stop.stop_requested();
                           }};
  if (const auto* hold = std::get_if<core::wire::Hold>(&work))
    return with_words(leases->hold(id, hold->tensor, **snapshot, hold->pinned, names));
  if (const auto* prove = std::get_if<core::wire::Prove>(&work)) return prove_tensors(*prove, context);
  if (const auto* hand = std::get_if<core::wire::HandTo>(&work)) return hand_to_library(*hand, context);
  if (const auto* write = std::get_if<core::wire::WriteBytes>(&work)) return write_bytes(*write, context);
  return copy_tensor(std::get<core::wire::CopyTensor>(work), context);
}

// (namespace, frames: a traceback, a frame or None, the module _host_exchange): carries out the act that host_next has returned; from its end on
// nothing interrupts it any more.
PyObject* host_act(PyObject*, PyObject* args) {
  ProgramNames names;
  PyObject* exchange = nullptr;
  if (!PyArg_ParseTuple(args, "OOO", &names.script, &names.frames, &exchange) || attached() == nullptr || !act) return nullptr;
  const core::wire::Start start = *std::exchange(act, std::nullopt);
  core::Result<ActDone> done = core::fail(core::ErrorKind::environment, "there is not enough memory for it");
  const InterruptScope scope(service->stop_token());
  try {
    done = carry_out(start.id, start.work, names, exchange);
  } catch (const std::bad_alloc&) {
  }
  const bool interrupted = interrupt_pending();
  PyErr_Clear();
  core::wire::WorkEnded end{start.id, core::wire::WorkOutcome::done, {}, {}};
  if (!done) end.outcome = interrupted ? core::wire::WorkOutcome::cancelled : core::wire::WorkOutcome::failed;
  if (done) end.result = std::move(done->result);
  end.words = done ? std::move(done->words) : interrupted ? std::string() : done.error().message;
  {
    const WithoutGil released;
    service->end_act(std::move(end), interrupted);
  }
  if (PyErr_CheckSignals() != 0) PyErr_Clear();  // a Stop that came too late for the act belongs to nothing else
  return none();
}

// (announce): False for callbacks of windows.
PyObject* host_before_user_code(PyObject*, PyObject* announce) {
  if (attached() == nullptr) return nullptr;
  leases->before_user_code(announce == Py_True ? Leases::Announce::all : Leases::Announce::quietly);
  return none();
}

// (namespace, frames: a traceback, a frame or None)
PyObject* host_after_user_code(PyObject*, PyObject* args) {
  ProgramNames names;
  if (!PyArg_ParseTuple(args, "OO", &names.script, &names.frames) || attached() == nullptr) return nullptr;
  leases->after_user_code(names);
  return none();
}

// The interpreter is about to end.
PyObject* host_release_leases(PyObject*, PyObject*) {
  if (leases != nullptr && !HostService::is_forked_child()) leases->release_all();
  return none();
}

// (words): what happened, for the report
PyObject* host_event(PyObject*, PyObject* text) {
  Runtime::get().note(core::EventKind::script, text_of(text));
  return none();
}

PyObject* host_run_finished(PyObject*, PyObject* args) {
  if (attached() == nullptr) return nullptr;
  const auto message = run_finished_from(args);
  if (!message) return nullptr;
  {
    const WithoutGil released;
    service->rest_at_stop();
    service->send(*message);
  }
  return none();
}

PyObject* host_notice(PyObject*, PyObject* text) {
  if (attached() == nullptr) return nullptr;
  const std::string words = text_of(text);
  {
    const WithoutGil released;
    service->notice(words);
  }
  return none();
}

// (id, question, text, error): the answer to an "ask" request; from the call on nothing interrupts it any more.
PyObject* host_answer(PyObject*, PyObject* args) {
  unsigned long long id = 0;
  PyObject *question = nullptr, *text = nullptr, *error = nullptr;
  if (!PyArg_ParseTuple(args, "KOOO", &id, &question, &text, &error) || attached() == nullptr) return nullptr;
  const core::wire::Answer answer{id, text_of(question), text_of(text), text_of(error)};
  {
    const WithoutGil released;
    service->end_answering();
    service->send(answer);
  }
  if (PyErr_CheckSignals() != 0) PyErr_Clear();  // a Stop that came too late for the question belongs to nothing else
  return none();
}

// (namespace, name, anyway, frames: a traceback, a frame, None or nothing): the answer of embed/host/object_questions.h as JSON text.
template <auto look>
PyObject* host_look(PyObject*, PyObject* args) {
  PyObject *names = nullptr, *name = nullptr, *frames = Py_None;
  int anyway = 0;
  if (!PyArg_ParseTuple(args, "OOp|O", &names, &name, &anyway, &frames)) return nullptr;
  const InterruptScope scope(service != nullptr ? service->stop_token() : std::stop_token());
  const ScanPlace place = ScanPlace::of_program({names, frames});
  const auto text = look(place, text_of(name), anyway != 0);
  if (!text) return nullptr;
  return PyUnicode_DecodeUTF8(text->data(), static_cast<Py_ssize_t>(text->size()), "replace");
}

// (namespace, name, traceback whose frames have names too or None): the object of that name path, or None.
PyObject* host_object(PyObject*, PyObject* args) {
  PyObject *names = nullptr, *name = nullptr, *traceback = Py_None;
  if (!PyArg_ParseTuple(args, "OOO", &names, &name, &traceback)) return nullptr;
  const ScanPlace place = ScanPlace::of_program({names, traceback});
  core::SnapshotBuilder unused;
  TypeTable types(unused);
  PyRef object = object_named(place, text_of(name), types);
  if (PyErr_Occurred() != nullptr) return nullptr;
  return object ? object.release() : none();
}

// False: a request waits, the windows have to.
PyObject* host_begin_windows(PyObject*, PyObject*) {
  if (attached() == nullptr) return nullptr;
  const bool begun = service->begin_windows();
  if (begun) note_code_runs();
  return PyBool_FromLong(begun ? 1 : 0);
}

PyObject* host_end_windows(PyObject*, PyObject*) {
  if (attached() == nullptr) return nullptr;
  service->end_windows();
  if (PyErr_CheckSignals() != 0) PyErr_Clear();  // a Stop that came too late for a callback belongs to nothing else
  return none();
}

PyObject* host_nothing_to_interrupt(PyObject*, PyObject*) {
  if (service != nullptr && !HostService::is_forked_child()) service->nothing_to_interrupt();
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
  if (service == nullptr || HostService::is_forked_child()) return none();
  if (!service->on_main_thread() || Py_AddPendingCall(restart_wire, nullptr) != 0) restart_wire(nullptr);
  return none();
}

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

// (rule or None)
PyObject* host_interrupt_rule(PyObject*, PyObject* rule) {
  Py_XDECREF(interrupt_rule);
  interrupt_rule = rule == Py_None ? nullptr : PyRef::share(rule).release();
  return none();
}

// Stands for signal.default_int_handler: raises KeyboardInterrupt, but in a host only while there is something to
// interrupt, and not before the rule (python/dlscope/_host_interrupts.py) allows it.
PyObject* default_int_handler(PyObject*, PyObject* args) {
  if (service != nullptr && !HostService::is_forked_child()) {
    if (!service->interruptible()) return none();
    service->interrupt_came();
    if (LineEvents::get().stands_in_another_thread()) {  // that thread runs what is to be interrupted
      LineEvents::get().interrupt_standing_thread();
      return none();
    }
    PyObject* frame = PyTuple_Size(args) >= 2 ? PyTuple_GetItem(args, 1) : Py_None;
    if (interrupt_rule != nullptr && frame != nullptr) {
      PyObject* insists = service->stop_insists() ? Py_True : Py_False;
      const PyRef answer = PyRef::steal(PyObject_CallFunctionObjArgs(interrupt_rule, frame, insists, nullptr));
      if (!answer) return nullptr;
      if (PyUnicode_Check(answer.get())) {
        service->defer_interrupt_for_import(text_of(answer.get()));
        return none();
      }
      if (answer.get() != Py_True) {
        service->defer_interrupt();
        return none();
      }
    }
  }
  PyErr_SetNone(PyExc_KeyboardInterrupt);
  return nullptr;
}

PyMethodDef methods[] = {
    {"host_attach", guarded<host_attach>, METH_VARARGS, nullptr},
    {"host_next", guarded<host_next>, METH_O, nullptr},
    {"host_begin_windows", guarded<host_begin_windows>, METH_NOARGS, nullptr},
    {"host_end_windows", guarded<host_end_windows>, METH_NOARGS, nullptr},
    {"host_act", guarded<host_act>, METH_VARARGS, nullptr},
    {"host_before_user_code", guarded<host_before_user_code>, METH_O, nullptr},
    {"host_after_user_code", guarded<host_after_user_code>, METH_VARARGS, nullptr},
    {"host_release_leases", guarded<host_release_leases>, METH_NOARGS, nullptr},
    {"host_event", guarded<host_event>, METH_O, nullptr},
    {"host_run_finished", guarded<host_run_finished>, METH_VARARGS, nullptr},
    {"host_notice", guarded<host_notice>, METH_O, nullptr},
    {"host_answer", guarded<host_answer>, METH_VARARGS, nullptr},
    {"host_object", guarded<host_object>, METH_VARARGS, nullptr},
    {"host_struct", guarded<host_look<struct_of>>, METH_VARARGS, nullptr},
    {"host_protocols", guarded<host_look<protocols_of>>, METH_VARARGS, nullptr},
    {"host_nothing_to_interrupt", guarded<host_nothing_to_interrupt>, METH_NOARGS, nullptr},
    {"host_is_child", guarded<host_is_child>, METH_NOARGS, nullptr},
    {"host_exit", guarded<host_exit>, METH_O, nullptr},
    {"host_before_fork", guarded<host_before_fork>, METH_NOARGS, nullptr},
    {"host_after_fork", guarded<host_after_fork>, METH_NOARGS, nullptr},
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

PyMethodDef* host_methods() { return methods; }

}  // namespace dlscope::embed
