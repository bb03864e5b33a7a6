// A look in the middle of the user's code: --at, dlscope.stop().
// thread: GIL held, any Python thread.
#pragma once

#include <string>

#include "core/inventory/snapshot_builder.h"
#include "core/statistics/value_summary.h"
#include "embed/py_ref.h"

namespace dlscope::embed {

struct StopMoment {
  PyRef frame;
  std::string thread;
  unsigned line = 0, hit = 1;
  core::StatisticsMethod statistics = core::StatisticsMethod::none;  // of the values of what is found
};

// Writes into the builder which moment it shows.
void note_stop(core::SnapshotBuilder& builder, const StopMoment& moment);

// Scans the frame with its callers and the program's names, and publishes that as what the run is about. False: an error is set.
[[nodiscard]] bool look_at_stop(PyObject* script_names, const StopMoment& moment);

}  // namespace dlscope::embed
