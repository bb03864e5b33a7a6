#include "embed/host/host_functions.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/build_id.h"
#include "core/memory/kept_maps_file.h"
#include "embed/guarded.h"
#include "embed/host/acts.h"
#include "embed/host/forked_child.h"
#include "embed/host/host_request.h"
#include "embed/host/host_service.h"
#include "embed/host/host_state.h"
#include "embed/host/leases.h"
#include "embed/host/line_events.h"
#include "embed/host/object_questions.h"
#include "embed/host/remember_looks.h"
#include "embed/host/script_handlers.h"
#include "embed/host/taken_requests.h"
#include "embed/interrupts.h"
#include "embed/protocols/capsule_watch.h"
#include "embed/protocols/held_memory.h"
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

bool is_for_window = false;  // the last run was

// Between two runs of a window the script's handlers of signals run, as its threads do. After a headless run nothing of it goes on.
bool script_handler_waits() {
  return is_for_window && ScriptHandlers::get().any_noted() && service->stops().place().depth == 0;
}

void publish(const core::SnapshotPtr& snapshot, core::Scanned scanned) {
  if (is_forked_child()) return;
  Runtime& runtime = Runtime::get();
  const std::uint64_t run = runtime.run;
  runtime.published = snapshot;
  const WithoutGil released;
  service->publish(snapshot, {.sequence = 0, .run = run, .scanned = scanned});
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
  core::keep_maps_file_open();  // before there are threads that read it
  auto started = HostService::start(fd, hello);
  if (!started) {
    PyErr_SetString(PyExc_RuntimeError, started.error().message.c_str());
    return nullptr;
  }
  service = *started;
  leases = new Leases([](const core::wire::LeaseChanged& change) { service->send(change); });
  Runtime::get().publish = publish;
  watch_own_exports();
  return none();
}

// What host_next() returns for each kind of request.
PyObject* request_dict(const core::wire::Run& run) {
  note_code_runs();
  // What runs at a stop is a part of the run that stands there; in the frames that a run has left it is a run of its own.
  Runtime::get().run = service->header().run;
  if (run.stop == 0) {
    host_state::statistics_wanted = run.statistics;
    is_for_window = run.interactive_stops;
    if (run.fresh_namespace) Runtime::get().clear_events();
  }
  return request_as_dict(run).release();
}
PyObject* request_dict(const core::wire::Ask& question) { return request_as_dict(question).release(); }
PyObject* request_dict(ActRequest next) {
  set_next_act(std::move(next));
  return Py_BuildValue("{s:s}", "kind", "act");
}
PyObject* request_dict(const core::wire::Resume& resume) {
  note_code_runs();
  return request_as_dict(resume).release();
}
PyObject* request_dict(ChangesWait) { return Py_BuildValue("{s:s}", "kind", "changes"); }
PyObject* request_dict(const core::wire::Scan& scan) {
  return Py_BuildValue("{s:s,s:K}", "kind", "scan", "request", static_cast<unsigned long long>(scan.request));
}
PyObject* request_dict(const core::wire::Shutdown&) { return Py_BuildValue("{s:s}", "kind", "shutdown"); }

// (milliseconds or None): waits without the GIL; a dict with "kind": "run", "ask", "act", "scan", "resume", "changes" or
// "shutdown", or None when the time is over or a handler of the script's waits. A request that was taken before and has not been
// answered is over: its end is sent.
PyObject* host_next(PyObject*, PyObject* milliseconds) {
  std::optional<std::chrono::milliseconds> at_most;
  if (milliseconds != Py_None) at_most = std::chrono::milliseconds(PyLong_AsLong(milliseconds));
  if (PyErr_Occurred() != nullptr || attached() == nullptr) return nullptr;
  freed_blocks().drop();  // nothing is kept for copies while there is nothing to do
  TakenRequests& taken = TakenRequests::get();
  taken.end_those_left(*service, service->stops().place());
  if (auto again = taken.once_more(service->stops().place()))
    return std::visit([](auto& kind) { return request_dict(std::move(kind)); }, *again);
  for (;;) {
    const bool listens = service->wire_thread().restart() == WireThread::Restart::done;
    const auto wait = script_handler_waits() ? std::optional(std::chrono::milliseconds(0)) : at_most;
    std::optional<Request> request;
    {
      const WithoutGil released;
      request = service->serving().next(listens ? wait : std::min(wait.value_or(kUntilNextTry), kUntilNextTry));
    }
    if (request) {
      taken.take(*request, service->stops().place());
      return std::visit([](auto& kind) { return request_dict(std::move(kind)); }, *request);
    }
    if (PyErr_CheckSignals() != 0) return nullptr;
    if (at_most || script_handler_waits()) return none();
  }
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
  if (leases != nullptr && !is_forked_child()) leases->release_all();
  return none();
}

// (message): what happened, for the report
PyObject* host_event(PyObject*, PyObject* text) {
  Runtime::get().note(core::EventKind::script, text_of(text));
  return none();
}

PyObject* host_run_finished(PyObject*, PyObject* args) {
  if (attached() == nullptr) return nullptr;
  const auto message = run_finished_from(args);
  if (!message) return nullptr;
  TakenRequests::get().run_ended(message->run);
  {
    const WithoutGil released;
    service->stops().end_request();
    service->send(*message);
  }
  return none();
}

PyObject* host_notice(PyObject*, PyObject* text) {
  if (attached() == nullptr) return nullptr;
  const std::string wording = text_of(text);
  {
    const WithoutGil released;
    service->notice(wording);
  }
  return none();
}

// (id, question, text: JSON or the bytes of a typed answer, error): the answer to an "ask" request; from the call on nothing
// interrupts it any more.
PyObject* host_answer(PyObject*, PyObject* args) {
  unsigned long long id = 0;
  PyObject *question = nullptr, *text = nullptr, *error = nullptr;
  if (!PyArg_ParseTuple(args, "KOOO", &id, &question, &text, &error) || attached() == nullptr) return nullptr;
  core::wire::Answer answer{id, text_of(question), {}, text_of(error)};
  char* bytes = nullptr;
  Py_ssize_t size = 0;
  if (!PyBytes_Check(text)) {
    answer.text = text_of(text);
  } else if (PyBytes_AsStringAndSize(text, &bytes, &size) == 0) {
    answer.text.assign(bytes, static_cast<std::size_t>(size));
  }
  TakenRequests::get().question_ended(id);
  {
    const WithoutGil released;
    service->serving().end_answering();
    service->send(answer);
  }
  if (PyErr_CheckSignals() != 0) PyErr_Clear();  // a Stop that came too late for the question belongs to nothing else
  LineEvents::get().take_back_interrupt();
  return none();
}

// (namespace, name, anyway, frames: a traceback, a frame, None or nothing): the answer of embed/host/object_questions.h, as
// bytes.
template <auto look>
PyObject* host_look(PyObject*, PyObject* args) {
  PyObject *names = nullptr, *name = nullptr, *frames = Py_None;
  int anyway = 0;
  if (!PyArg_ParseTuple(args, "OOp|O", &names, &name, &anyway, &frames)) return nullptr;
  const InterruptScope scope(service != nullptr ? service->serving().stop_token() : std::stop_token());
  const ScanPlace place = ScanPlace::of_program({names, frames});
  const auto text = look(place, text_of(name), anyway != 0);
  if (!text) return nullptr;
  return PyBytes_FromStringAndSize(text->data(), static_cast<Py_ssize_t>(text->size()));
}

// (namespace, name, traceback whose frames have names too or None): the object of that name path, or None.
PyObject* host_object(PyObject*, PyObject* args) {
  PyObject *names = nullptr, *name = nullptr, *traceback = Py_None;
  if (!PyArg_ParseTuple(args, "OOO", &names, &name, &traceback)) return nullptr;
  core::SnapshotBuilder unused;
  TypeTable types(unused);
  auto [object, why_not] = object_named(ScanPlace::of_program({names, traceback}), text_of(name), types);
  if (PyErr_Occurred() != nullptr) return nullptr;
  if (!why_not.empty()) return PyErr_Format(PyExc_LookupError, "%s", why_not.c_str());
  return object ? object.release() : none();
}

PyObject* host_exports_not_watched(PyObject*, PyObject*) { return PyLong_FromUnsignedLongLong(exports_not_watched()); }

PyObject* host_capsule_manager(PyObject*, PyObject* capsule) {
  return PyLong_FromUnsignedLongLong(capsule_manager(capsule));
}

PyObject* host_script_handler_waits(PyObject*, PyObject*) { return PyBool_FromLong(script_handler_waits() ? 1 : 0); }
// Runs the handlers of signals that have come; inside host_run_user_code() the script's.
PyObject* host_run_handlers(PyObject*, PyObject*) { return PyErr_CheckSignals() == 0 ? none() : nullptr; }

// False: a request waits, the windows have to.
PyObject* host_begin_window_callbacks(PyObject*, PyObject*) {
  if (attached() == nullptr) return nullptr;
  const bool begun = service->serving().begin_window_callbacks();
  if (begun) note_code_runs();
  return PyBool_FromLong(begun ? 1 : 0);
}

PyObject* host_end_window_callbacks(PyObject*, PyObject* ran) {
  if (attached() == nullptr) return nullptr;
  service->serving().end_window_callbacks(PyObject_IsTrue(ran) != 0);
  if (PyErr_CheckSignals() != 0) PyErr_Clear();  // a Stop that came too late for a callback belongs to nothing else
  return none();
}

PyMethodDef methods[] = {
    {"host_attach", guarded<host_attach>, METH_VARARGS, nullptr},
    {"host_next", guarded<host_next>, METH_O, nullptr},
    {"host_script_handler_waits", guarded<host_script_handler_waits>, METH_NOARGS, nullptr},
    {"host_run_handlers", guarded<host_run_handlers>, METH_NOARGS, nullptr},
    {"host_begin_window_callbacks", guarded<host_begin_window_callbacks>, METH_NOARGS, nullptr},
    {"host_end_window_callbacks", guarded<host_end_window_callbacks>, METH_O, nullptr},
    {"host_before_user_code", guarded<host_before_user_code>, METH_O, nullptr},
    {"host_after_user_code", guarded<host_after_user_code>, METH_VARARGS, nullptr},
    {"host_release_leases", guarded<host_release_leases>, METH_NOARGS, nullptr},
    {"host_event", guarded<host_event>, METH_O, nullptr},
    {"host_run_finished", guarded<host_run_finished>, METH_VARARGS, nullptr},
    {"host_notice", guarded<host_notice>, METH_O, nullptr},
    {"host_answer", guarded<host_answer>, METH_VARARGS, nullptr},
    {"host_object", guarded<host_object>, METH_VARARGS, nullptr},
    {"host_exports_not_watched", guarded<host_exports_not_watched>, METH_NOARGS, nullptr},
    {"host_capsule_manager", guarded<host_capsule_manager>, METH_O, nullptr},
    {"host_struct", guarded<host_look<struct_of>>, METH_VARARGS, nullptr},
    {"host_protocols", guarded<host_look<protocols_of>>, METH_VARARGS, nullptr},
    {nullptr, nullptr, 0, nullptr},
};

}  // namespace

PyMethodDef* host_methods() { return methods; }

}  // namespace dlscope::embed
