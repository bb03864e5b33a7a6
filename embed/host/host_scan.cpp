#include "embed/host/host_scan.h"

#include <fmt/format.h>

#include <memory>
#include <utility>
#include <vector>

#include "core/base/in_words.h"
#include "core/devices/cuda_driver.h"
#include "core/inventory/device_events.h"
#include "core/inventory/own_symbols.h"
#include "core/inventory/pair_limit.h"
#include "core/memory/address_map.h"
#include "core/memory/available_memory.h"
#include "embed/host/host_state.h"
#include "embed/host/remember_looks.h"
#include "embed/interrupts.h"
#include "embed/protocols/capsule_watch.h"
#include "embed/runtime.h"
#include "embed/scan/namespace_scan.h"
#include "embed/without_gil.h"

namespace dlscope::embed {

using core::wire::ScanFinished;
using core::wire::ScanResult;
using host_state::leases;
using host_state::service;

namespace {

PyObject* last_function_lookup = nullptr;  // set once, never released

void note_stop(core::SnapshotBuilder& builder, const StopLocation& moment) {
  const FrameFacts facts = facts_of_frame(moment.frame.get());
  core::StopInfo& stop = builder.info().stop;
  stop.file = builder.intern(facts.file);
  stop.function = builder.intern(facts.function);
  stop.thread = builder.intern(moment.thread);
  stop.line = moment.line;
  stop.hit = moment.hit;
}

// For a scan that found no tensor: names the function whose locals may have held them all.
void note_last_function(core::SnapshotBuilder& builder, PyObject* names) {
  if (last_function_lookup == nullptr) return;
  const PyRef name = PyRef::steal(PyObject_CallFunctionObjArgs(last_function_lookup, names, nullptr));
  if (!name) return PyErr_Clear();
  builder.info().last_function = builder.intern(text_of(name.get()));
}

// Why describing ended before everything was reached; neither: it did not.
struct CutShort {
  bool interrupted = false;
  std::string error;  // what was raised, as a sentence; "" for an interrupt
};

// Takes the pending Python error of a scan that was cut short.
CutShort take_cause() {
  if (PyErr_Occurred() == nullptr) return {};
  if (interrupt_pending()) {
    PyErr_Clear();
    Runtime::get().note(core::EventKind::script, "the scan was interrupted: what it had not reached is missing");
    service->notice("The scan was interrupted: what it had not reached is missing.");
    return {.interrupted = true, .error = {}};
  }
  const PyErrorText error = take_error();
  const bool of_ours = error.type == "MemoryError" || error.type == "RecursionError";  // nothing else of ours ends a scan
  return {.interrupted = true,
          .error = fmt::format("{} {}{}{}: what it had not reached is missing",
                               of_ours ? "it ended with" : "a signal handler of the script's own raised", error.type,
                               error.message.empty() ? "" : ": ", error.message)};
}

struct Described {
  core::SnapshotBuilder builder;
  core::Scanned scanned;
  CutShort cut;
};

Described describe(const HostScan& scan, std::vector<HeldObject>& held) {
  const ScanPlace place = ScanPlace::of_program({scan.names, scan.frames});
  core::SnapshotBuilder builder = scan_names(place, {.held = &held});
  CutShort cut = take_cause();
  const bool incomplete = cut.interrupted && scan.scanned == core::Scanned::end;
  const core::Scanned scanned = incomplete ? core::Scanned::interrupt : scan.scanned;
  if (scanned == core::Scanned::stop) note_stop(builder, scan.moment);
  static_cast<void>(watched_capsules(scan.names));  // notices which of them were consumed meanwhile
  Runtime::get().describe_process(builder, scanned);
  builder.info().functions_returned = scanned == core::Scanned::end && place.defines_functions();
  if (builder.info().functions_returned && builder.tensor_count() == 0) note_last_function(builder, scan.names);
  return {std::move(builder), scanned, std::move(cut)};
}

core::AnalyseOptions analyse_options(const HostScan& scan) {
  core::AnalyseOptions options;
  options.sharing.stop = options.sharing.budget.stop = scan.stop;
  options.symbol_of = core::own_symbol;
  options.sharing.max_pairs = core::pair_limit(core::available_memory());
  if (scan.scanned != core::Scanned::request) options.statistics = host_state::statistics_wanted;
  return options;
}

// Publishes what was found before the sharing is known, where that takes long.
std::shared_ptr<core::Snapshot> analyse(const HostScan& scan, Described& described, const std::vector<HeldObject>& held) {
  Runtime& runtime = Runtime::get();
  core::AnalyseOptions options = analyse_options(scan);
  // Some pages of the user's memory may never arrive: such tensors are reported as not readable instead of waited for.
  const auto deadline_reader = service->tasks().deadline_reader();
  options.reader = deadline_reader ? deadline_reader->get() : &runtime.reader();
  const core::SnapshotPtr earlier = runtime.published;
  options.earlier = earlier.get();
  if (!scan.in_run) {
    // Called without the GIL, while this thread waits below: so the leases do not change.
    options.unfinished = [&, run = runtime.run](std::shared_ptr<core::Snapshot> found) {
      leases->mark_in(*found, held);
      service->publish(std::move(found), {.sequence = 0, .run = run, .scanned = described.scanned, .python_threads = true});
    };
  }
  const WithoutGil released;
  const auto map = core::AddressMap::load(0);
  if (map)
    options.map = &*map;
  else
    options.map_problem = map.error().message;
  const auto cuda = core::CudaDriver::open(core::CudaInit::only_if_initialised);
  options.cuda = cuda ? &*cuda : nullptr;
  described.builder.analyse(options);
  if (deadline_reader) (*deadline_reader)->rest();
  std::shared_ptr<core::Snapshot> made = described.builder.finish();
  core::add_device_events(*made);
  return made;
}

bool publish(const core::SnapshotPtr& snapshot, core::Scanned scanned) {
  const std::uint64_t run = Runtime::get().run;
  const bool python_threads = has_python_threads();
  const WithoutGil released;
  return service->publish(snapshot, {.sequence = 0, .run = run, .scanned = scanned, .python_threads = python_threads});
}

ScanFinished describe_and_publish(const HostScan& scan) {
  std::vector<HeldObject> held = leases->held_objects();
  begin_remembering();
  const InterruptScope scope(scan.stop);
  Described described = describe(scan, held);
  std::shared_ptr<core::Snapshot> made = analyse(scan, described, held);
  leases->mark_in(*made, held);
  const core::SnapshotPtr snapshot = std::move(made);
  remember_tensors(*snapshot);
  if (!publish(snapshot, described.scanned))
    return {0, ScanResult::failed, "what the scan found does not fit into the memory shared with the window"};
  Runtime::get().published = snapshot;
  leases->report_new_records(*snapshot, held);
  if (!described.cut.error.empty()) return {0, ScanResult::failed, described.cut.error};
  return {0, described.cut.interrupted || scan.stop.stop_requested() ? ScanResult::stopped : ScanResult::complete, {}};
}

}  // namespace

ScanFinished scan_and_publish(const HostScan& scan) {
  auto scanned = core::in_words([&]() -> core::Result<ScanFinished> { return describe_and_publish(scan); });
  if (!scanned) PyErr_Clear();
  ScanFinished end = scanned ? std::move(*scanned) : ScanFinished{0, ScanResult::failed, scanned.error().message};
  if (end.result == ScanResult::failed) end.message = "The scan did not end: " + end.message;
  return end;
}

void set_last_function_lookup(PyObject* callable) { last_function_lookup = PyRef::share(callable).release(); }

}  // namespace dlscope::embed
