#include "embed/host/stop_look.h"

#include "core/inventory/own_symbols.h"
#include "core/inventory/pair_limit.h"
#include "core/memory/address_map.h"
#include "core/memory/available_memory.h"
#include "embed/runtime.h"
#include "embed/scan/namespace_scan.h"
#include "embed/without_gil.h"

namespace dlscope::embed {

void note_stop(core::SnapshotBuilder& builder, const StopMoment& moment) {
  const FrameFacts facts = facts_of_frame(moment.frame.get());
  core::StopInfo& stop = builder.info().stop;
  stop.file = builder.intern(facts.file);
  stop.function = builder.intern(facts.function);
  stop.thread = builder.intern(moment.thread);
  stop.line = moment.line;
  stop.hit = moment.hit;
}

bool look_at_stop(PyObject* script_names, const StopMoment& moment) {
  Runtime& runtime = Runtime::get();
  ScanPlace place = ScanPlace::of_program({.script = script_names});
  place.add_callers(moment.frame.get());
  core::SnapshotBuilder builder = scan_names(place);
  if (PyErr_Occurred() != nullptr) return false;
  note_stop(builder, moment);
  runtime.describe_process(builder, core::Scanned::stop);
  core::AnalyseOptions options;
  options.reader = &runtime.reader();
  options.symbol_of = core::own_symbol;
  options.sharing.max_pairs = core::pair_limit(core::available_memory());
  options.statistics = moment.statistics;
  const core::SnapshotPtr earlier = runtime.published;
  options.earlier = earlier.get();
  core::SnapshotPtr snapshot;
  {
    const WithoutGil released;
    const auto map = core::AddressMap::load(0);
    if (map) options.map = &*map;
    const auto cuda = core::CudaDriver::open(core::CudaLook::only_if_initialised);
    options.cuda = cuda ? &*cuda : nullptr;
    builder.analyse(options);
    snapshot = builder.finish();
  }
  if (runtime.publish) runtime.publish(snapshot, core::Scanned::stop);
  return true;
}

}  // namespace dlscope::embed
