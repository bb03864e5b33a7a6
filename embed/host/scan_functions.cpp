// The scans of a host: after a run, on request, at a stop, in the middle of a run.
// thread: GIL held, unless a function says otherwise.
#include <string>
#include <string_view>
#include <utility>

#include "embed/guarded.h"
#include "embed/host/host_functions.h"
#include "embed/host/host_scan.h"
#include "embed/host/host_state.h"
#include "embed/host/line_events.h"
#include "embed/host/remember_looks.h"
#include "embed/host/taken_requests.h"
#include "embed/stored.h"
#include "embed/without_gil.h"

namespace dlscope::embed {

using host_state::attached;
using host_state::none;
using host_state::service;

namespace {

core::Scanned scanned_of(std::string_view word) {
  if (word == "end") return core::Scanned::end;
  if (word == "interrupt") return core::Scanned::interrupt;
  if (word == "raise") return core::Scanned::raise;
  if (word == "stop") return core::Scanned::stop;
  return core::Scanned::request;
}

core::wire::ScanFinished end_of_scan_in_run;  // how the last host_scan_in_run ended; the viewer is told when the run has

// (callable): _host_run.last_called.
PyObject* host_set_last_function_lookup(PyObject*, PyObject* callable) {
  set_last_function_lookup(callable);
  return none();
}

// (namespace, "end" | "interrupt" | "raise" | "request" | "stop", frames: tracebacks, innermost first, a frame or None, request,
// and with "stop" the line, the hit, the thread): scans and publishes; however that ends, the viewer is sent one ScanFinished.
PyObject* host_scan(PyObject*, PyObject* args) {
  PyObject* thread = nullptr;
  const char* word = nullptr;
  unsigned long long request = 0;
  HostScan scan;
  StopLocation& moment = scan.moment;
  if (!PyArg_ParseTuple(args, "OsOK|IIO", &scan.names, &word, &scan.frames, &request, &moment.line, &moment.hit, &thread) ||
      attached() == nullptr)
    return nullptr;
  if (thread != nullptr) {
    const bool is_list = PyList_Check(scan.frames) && PyList_Size(scan.frames) > 0;
    moment.frame = is_list ? stored_attribute(PyList_GetItem(scan.frames, 0), "tb_frame") : PyRef::share(scan.frames);
    if (!moment.frame) return nullptr;
    moment.thread = text_of(thread);
  }
  scan.scanned = scanned_of(word);
  scan.stop = service->serving().begin_scan();
  core::wire::ScanFinished end = scan_and_publish(scan);
  end.request = request;
  TakenRequests::get().scan_ended(service->stops().place());
  {
    const WithoutGil released;
    service->stops().end_request();
  }
  LineEvents::get().take_back_interrupt();  // an interrupt meant for the scan that has not taken effect
  const WithoutGil released;
  service->send(end);
  return none();
}

// After a run that host_scan_in_run has scanned: nothing is scanned again; the viewer is told how that scan ended.
PyObject* host_report_end_of_scan_in_run(PyObject*, PyObject*) {
  if (attached() == nullptr) return nullptr;
  TakenRequests::get().scan_ended(service->stops().place());
  const WithoutGil released;
  service->send(end_of_scan_in_run);
  return none();
}

// (namespace, frame, line, hit, thread): scans in the middle of the user's code, for --at and dlscope.stop(): the frame with its
// callers, and the program's names. The report of the run is about this snapshot. thread: any of Python's.
PyObject* host_scan_in_run(PyObject*, PyObject* args) {
  HostScan scan{.scanned = core::Scanned::stop, .in_run = true};
  StopLocation& moment = scan.moment;
  PyObject* thread = nullptr;
  if (!PyArg_ParseTuple(args, "OOIIO", &scan.names, &scan.frames, &moment.line, &moment.hit, &thread) || attached() == nullptr)
    return nullptr;
  moment.frame = PyRef::share(scan.frames);
  moment.thread = text_of(thread);
  const LineEvents::EventsIgnored events_ignored;
  scan.stop = service->serving().begin_scan_in_run();
  end_of_scan_in_run = scan_and_publish(scan);
  return none();
}

PyMethodDef methods[] = {
    {"host_scan", guarded<host_scan>, METH_VARARGS, nullptr},
    {"host_set_last_function_lookup", guarded<host_set_last_function_lookup>, METH_O, nullptr},
    {"host_report_end_of_scan_in_run", guarded<host_report_end_of_scan_in_run>, METH_NOARGS, nullptr},
    {"host_remember", guarded<host_remember>, METH_VARARGS, nullptr},
    {"host_scan_in_run", guarded<host_scan_in_run>, METH_VARARGS, nullptr},
    {nullptr, nullptr, 0, nullptr},
};

}  // namespace

PyMethodDef* host_scan_methods() { return methods; }

}  // namespace dlscope::embed
