// The scans of a host: after a run, on request, at a stop, in the middle of a run.
// thread: GIL held, unless a function says otherwise.
#include <fmt/format.h>

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/in_words.h"
#include "core/devices/cuda_driver.h"
#include "core/inventory/device_events.h"
#include "core/inventory/own_symbols.h"
#include "core/inventory/pair_limit.h"
#include "core/memory/address_map.h"
#include "core/memory/available_memory.h"
#include "embed/guarded.h"
#include "embed/host/host_functions.h"
#include "embed/host/host_state.h"
#include "embed/host/line_events.h"
#include "embed/host/remember_looks.h"
#include "embed/host/taken_requests.h"
#include "embed/interrupts.h"
#include "embed/protocols/capsule_watch.h"
#include "embed/runtime.h"
#include "embed/scan/namespace_scan.h"
#include "embed/stored.h"
#include "embed/without_gil.h"

namespace dlscope::embed {

using host_state::attached;
using host_state::leases;
using host_state::none;
using host_state::service;

namespace {

// Where the code stands that a scan at a stop shows. hit: how often the line was reached.
struct StopLocation {
  PyRef frame;
  std::string thread;
  unsigned line = 0, hit = 1;
};

void note_stop(core::SnapshotBuilder& builder, const StopLocation& moment) {
  const FrameFacts facts = facts_of_frame(moment.frame.get());
  core::StopInfo& stop = builder.info().stop;
  stop.file = builder.intern(facts.file);
  stop.function = builder.intern(facts.function);
  stop.thread = builder.intern(moment.thread);
  stop.line = moment.line;
  stop.hit = moment.hit;
}

core::Scanned scanned_of(std::string_view word) {
  if (word == "end") return core::Scanned::end;
  if (word == "interrupt") return core::Scanned::interrupt;
  if (word == "raise") return core::Scanned::raise;
  if (word == "stop") return core::Scanned::stop;
  return core::Scanned::request;
}

PyObject* last_function_lookup = nullptr;  // _host_run.last_called; set once, never released
core::wire::ScanFinished end_of_scan_in_run;  // how the last host_scan_in_run ended; the viewer is told when the run has

// For a scan that found no tensor: names the function whose locals may have held them all.
void note_last_function(core::SnapshotBuilder& builder, PyObject* names) {
  if (last_function_lookup == nullptr) return;
  const PyRef name = PyRef::steal(PyObject_CallFunctionObjArgs(last_function_lookup, names, nullptr));
  if (!name) return PyErr_Clear();
  builder.info().last_function = builder.intern(text_of(name.get()));
}

// (callable): from the script's names it finds the function that the script calls last: "main", or "".
PyObject* host_set_last_function_lookup(PyObject*, PyObject* callable) {
  last_function_lookup = PyRef::share(callable).release();
  return none();
}

// Describes the tensors with the GIL held; analyses and publishes without it. A Python error that ends the scan ends up in the
// message.
// in_run: a scan in the middle of a headless run, of which nobody needs an unfinished snapshot.
core::wire::ScanFinished scan_and_publish(PyObject* names, core::Scanned scanned, PyObject* frames, const StopLocation& moment,
                                          const std::stop_token& stop, bool in_run) {
  using core::wire::ScanResult;
  core::AnalyseOptions analyse;
  analyse.sharing.stop = stop;
  analyse.sharing.budget.stop = analyse.sharing.stop;
  analyse.symbol_of = core::own_symbol;
  analyse.sharing.max_pairs = core::pair_limit(core::available_memory());
  if (scanned != core::Scanned::request) analyse.statistics = host_state::statistics_wanted;

  Runtime& runtime = Runtime::get();
  std::vector<HeldObject> held = leases->held_objects();
  begin_remembering();
  const InterruptScope scope(analyse.sharing.stop);
  const ScanPlace place = ScanPlace::of_program({names, frames});
  core::SnapshotBuilder builder = scan_names(place, {.held = &held});
  const bool interrupted = PyErr_Occurred() != nullptr;
  std::string raised_by_handler;
  if (interrupted && !interrupt_pending()) {
    const PyErrorText error = take_error();
    const bool of_ours = error.type == "MemoryError" || error.type == "RecursionError";  // nothing else of ours ends a scan
    raised_by_handler = fmt::format("{} {}{}{}: what it had not reached is missing",
                                    of_ours ? "it ended with" : "a signal handler of the script's own raised", error.type,
                                    error.message.empty() ? "" : ": ", error.message);
  } else if (interrupted) {
    PyErr_Clear();
    runtime.note(core::EventKind::script, "the scan was interrupted: what it had not reached is missing");
    service->notice("The scan was interrupted: what it had not reached is missing.");
  }
  if (interrupted && scanned == core::Scanned::end) scanned = core::Scanned::interrupt;  // the snapshot is not complete
  if (scanned == core::Scanned::stop) note_stop(builder, moment);
  static_cast<void>(watched_capsules(names));  // notices which of them were consumed meanwhile
  runtime.describe_process(builder, scanned);
  builder.info().functions_returned = scanned == core::Scanned::end && place.defines_functions();
  if (builder.info().functions_returned && builder.tensor_count() == 0) note_last_function(builder, names);
  // Some pages of the user's memory may never arrive: such tensors are reported as not readable instead of waited for.
  const auto deadline_reader = service->tasks().deadline_reader();
  analyse.reader = deadline_reader ? deadline_reader->get() : &runtime.reader();
  const std::uint64_t run = runtime.run;
  const core::SnapshotPtr earlier = runtime.published;
  analyse.earlier = earlier.get();
  // Publishes what was found before the sharing is known, where that takes long. Called without the GIL, while this thread waits
  // below: so the leases do not change.
  if (!in_run) {
    analyse.unfinished = [&](std::shared_ptr<core::Snapshot> found) {
      leases->mark_in(*found, held);
      service->publish(std::move(found), {.sequence = 0, .run = run, .scanned = scanned, .python_threads = true});
    };
  }
  std::shared_ptr<core::Snapshot> made;
  bool published = false;
  {
    const WithoutGil released;
    const auto map = core::AddressMap::load(0);
    if (map)
      analyse.map = &*map;
    else
      analyse.map_problem = map.error().message;
    const auto cuda = core::CudaDriver::open(core::CudaInit::only_if_initialised);
    analyse.cuda = cuda ? &*cuda : nullptr;
    builder.analyse(analyse);
    if (deadline_reader) (*deadline_reader)->rest();
    made = builder.finish();
    core::add_device_events(*made);
  }
  leases->mark_in(*made, held);
  core::SnapshotPtr snapshot = std::move(made);
  remember_tensors(*snapshot);
  const bool python_threads = has_python_threads();
  {
    const WithoutGil released;
    published = service->publish(snapshot, {.sequence = 0, .run = run, .scanned = scanned, .python_threads = python_threads});
  }
  if (!published) return {0, ScanResult::failed, "what the scan found does not fit into the memory shared with the window"};
  runtime.published = std::move(snapshot);
  leases->report_new_records(*runtime.published, held);
  if (!raised_by_handler.empty()) return {0, ScanResult::failed, raised_by_handler};
  return {0, interrupted || analyse.sharing.stop.stop_requested() ? ScanResult::stopped : ScanResult::complete, {}};
}

// As scan_and_publish(), with exceptions turned into a failed ScanFinished.
core::wire::ScanFinished scan_or_failure(PyObject* names, core::Scanned scanned, PyObject* frames, const StopLocation& moment,
                                         const std::stop_token& stop, bool in_run) {
  using core::wire::ScanFinished;
  using core::wire::ScanResult;
  const auto scan = [&]() -> core::Result<ScanFinished> {
    return scan_and_publish(names, scanned, frames, moment, stop, in_run);
  };
  auto scanned_now = core::in_words(scan);
  if (!scanned_now) PyErr_Clear();
  ScanFinished end = scanned_now ? std::move(*scanned_now) : ScanFinished{0, ScanResult::failed, scanned_now.error().message};
  if (end.result == ScanResult::failed) end.message = "The scan did not end: " + end.message;
  return end;
}

// (namespace, "end" | "interrupt" | "raise" | "request" | "stop", frames: tracebacks, innermost first, a frame or None, request,
// and with "stop" the line, the hit, the thread): scans and publishes; however that ends, the viewer is sent one ScanFinished.
PyObject* host_scan(PyObject*, PyObject* args) {
  PyObject *names = nullptr, *frames = nullptr, *thread = nullptr;
  const char* word = nullptr;
  unsigned long long request = 0;
  StopLocation moment;
  if (!PyArg_ParseTuple(args, "OsOK|IIO", &names, &word, &frames, &request, &moment.line, &moment.hit, &thread) ||
      attached() == nullptr)
    return nullptr;
  if (thread != nullptr) {
    const bool is_list = PyList_Check(frames) && PyList_Size(frames) > 0;
    moment.frame = is_list ? stored_attribute(PyList_GetItem(frames, 0), "tb_frame") : PyRef::share(frames);
    if (!moment.frame) return nullptr;
    moment.thread = text_of(thread);
  }
  core::wire::ScanFinished end = scan_or_failure(names, scanned_of(word), frames, moment, service->serving().begin_scan(), false);
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
  PyObject *names = nullptr, *frame = nullptr, *thread = nullptr;
  StopLocation moment;
  if (!PyArg_ParseTuple(args, "OOIIO", &names, &frame, &moment.line, &moment.hit, &thread) || attached() == nullptr)
    return nullptr;
  moment.frame = PyRef::share(frame);
  moment.thread = text_of(thread);
  const LineEvents::EventsIgnored events_ignored;
  end_of_scan_in_run = scan_or_failure(names, core::Scanned::stop, frame, moment, service->serving().begin_scan_in_run(), true);
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
