// The scans of a host: after a run, on request, at a stop.
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

// Which moment a scan at a stop shows.
struct StopMoment {
  PyRef frame;
  std::string thread;
  unsigned line = 0, hit = 1;
};

void note_stop(core::SnapshotBuilder& builder, const StopMoment& moment) {
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

PyObject* last_called = nullptr;    // what tells the function that the script's own lines call last; set once
core::wire::ScanFinished look_end;  // of the last host_stop_here

// All that the script had may have been local to it.
void note_last_function(core::SnapshotBuilder& builder, PyObject* names) {
  if (last_called == nullptr) return;
  const PyRef name = PyRef::steal(PyObject_CallFunctionObjArgs(last_called, names, nullptr));
  if (!name) return PyErr_Clear();
  builder.info().last_function = builder.intern(text_of(name.get()));
}

// (callable): given the script's names it says "main" or "".
PyObject* host_on_nothing_found(PyObject*, PyObject* callable) {
  last_called = PyRef::share(callable).release();
  return none();
}

// Describes under the GIL, works out the rest and publishes without it. A Python error that ends the scan is in the words.
// in_run: the look is one in the middle of the script's run, which nobody watches.
core::wire::ScanFinished scan_and_publish(PyObject* names, core::Scanned scanned, PyObject* frames, const StopMoment& moment,
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
  if (interrupted) {
    PyErr_Clear();
    runtime.note(core::EventKind::script, "the scan was interrupted: what it had not reached is missing");
    service->notice("The scan was interrupted: what it had not reached is missing.");
  }
  if (interrupted && scanned == core::Scanned::end) scanned = core::Scanned::interrupt;  // not all the script ended with
  if (scanned == core::Scanned::stop) note_stop(builder, moment);
  static_cast<void>(watched_capsules(names));  // notices which of them were consumed meanwhile
  runtime.describe_process(builder, scanned);
  builder.info().functions_returned = scanned == core::Scanned::end && place.defines_functions();
  if (builder.info().functions_returned && builder.tensor_count() == 0) note_last_function(builder, names);
  // Pages of the user's may never arrive: a scan tells, and does not wait for them.
  const auto in_time = service->tasks().in_time();
  analyse.reader = in_time ? in_time->get() : &runtime.reader();
  const std::uint64_t run = runtime.run;
  const core::SnapshotPtr earlier = runtime.published;
  analyse.earlier = earlier.get();
  // What is found is shown before hard sharing is worked out. The main thread waits below meanwhile, so the leases do not change.
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
    if (map) analyse.map = &*map;
    const auto cuda = core::CudaDriver::open(core::CudaInit::only_if_initialised);
    analyse.cuda = cuda ? &*cuda : nullptr;
    builder.analyse(analyse);
    if (in_time) (*in_time)->rest();
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
  leases->found_in_snapshot(*runtime.published, held);
  return {0, interrupted || analyse.sharing.stop.stop_requested() ? ScanResult::stopped : ScanResult::complete, {}};
}

// The same, whatever happens.
core::wire::ScanFinished scan_safely(PyObject* names, core::Scanned scanned, PyObject* frames, const StopMoment& moment,
                                     const std::stop_token& stop, bool in_run) {
  using core::wire::ScanFinished;
  using core::wire::ScanResult;
  auto scanned_now =
      core::in_words([&]() -> core::Result<ScanFinished> { return scan_and_publish(names, scanned, frames, moment, stop, in_run); });
  if (!scanned_now) PyErr_Clear();
  ScanFinished end = scanned_now ? std::move(*scanned_now) : ScanFinished{0, ScanResult::failed, scanned_now.error().message};
  if (end.result == ScanResult::failed) end.message = "The scan did not end: " + end.message;
  return end;
}

// (namespace, "end" | "interrupt" | "raise" | "request" | "stop", frames: tracebacks, innermost first, a frame or None, request, and with
// "stop" the line, the hit, the thread): whatever happens, the viewer hears that the scan has ended.
PyObject* host_scan(PyObject*, PyObject* args) {
  PyObject *names = nullptr, *frames = nullptr, *thread = nullptr;
  const char* word = nullptr;
  unsigned long long request = 0;
  StopMoment moment;
  if (!PyArg_ParseTuple(args, "OsOK|IIO", &names, &word, &frames, &request, &moment.line, &moment.hit, &thread) ||
      attached() == nullptr)
    return nullptr;
  if (thread != nullptr) {
    const bool is_list = PyList_Check(frames) && PyList_Size(frames) > 0;
    moment.frame = is_list ? stored_attribute(PyList_GetItem(frames, 0), "tb_frame") : PyRef::share(frames);
    if (!moment.frame) return nullptr;
    moment.thread = text_of(thread);
  }
  core::wire::ScanFinished end = scan_safely(names, scanned_of(word), frames, moment, service->begin_scan(), false);
  end.request = request;
  {
    const WithoutGil released;
    service->rest_at_stop();
  }
  LineEvents::get().take_back_interrupt();  // a Stop of the scan that came while no Python ran
  const WithoutGil released;
  service->send(end);
  return none();
}

// The script ended at the stop that was looked at: there is nothing more to scan, and the viewer hears how that look ended.
PyObject* host_scan_left_out(PyObject*, PyObject*) {
  if (attached() == nullptr) return nullptr;
  const WithoutGil released;
  service->send(look_end);
  return none();
}

// (namespace, frame, line, hit, thread): a look in the middle of the user's code, in any thread, for --at and dlscope.stop(): the
// frame with its callers and the program's names become what the run is about. How it ended is told when the run has.
PyObject* host_stop_here(PyObject*, PyObject* args) {
  PyObject *names = nullptr, *frame = nullptr, *thread = nullptr;
  StopMoment moment;
  if (!PyArg_ParseTuple(args, "OOIIO", &names, &frame, &moment.line, &moment.hit, &thread) || attached() == nullptr)
    return nullptr;
  moment.frame = PyRef::share(frame);
  moment.thread = text_of(thread);
  const LineEvents::OwnWork ours;
  look_end = scan_safely(names, core::Scanned::stop, frame, moment, service->begin_scan_in_run(), true);
  return none();
}

PyMethodDef methods[] = {
    {"host_scan", guarded<host_scan>, METH_VARARGS, nullptr},
    {"host_on_nothing_found", guarded<host_on_nothing_found>, METH_O, nullptr},
    {"host_scan_left_out", guarded<host_scan_left_out>, METH_NOARGS, nullptr},
    {"host_remember", guarded<host_remember>, METH_VARARGS, nullptr},
    {"host_stop_here", guarded<host_stop_here>, METH_VARARGS, nullptr},
    {nullptr, nullptr, 0, nullptr},
};

}  // namespace

PyMethodDef* host_scan_methods() { return methods; }

}  // namespace dlscope::embed
