// What can be found out about a host that stands still after a fatal signal: from the record its handler wrote, which is hostile like
// all that the host wrote, and from the address map of its process.
// thread: any.
#pragma once

#include <sys/types.h>

#include <chrono>

#include "core/inventory/run_outcome.h"
#include "core/inventory/snapshot.h"
#include "core/wire/region.h"

namespace dlscope::app {

// Reads the symbol tables of the files whose code was met: a quarter of a second for the largest on a cold disk. host_start: no later
// than the start of the process; only files that stand as they stood then give names.
[[nodiscard]] core::CrashFacts crash_facts(pid_t pid, std::chrono::system_clock::time_point host_start,
                                           const core::wire::CrashRecord& record);

// Where the address lies among the tensors of the last look, in a sentence; "" where there is no address. snapshot: null where nothing was
// looked at. in_this_run: the look was made in the run that crashed. pid: its process still stands.
[[nodiscard]] std::string crash_place(const core::CrashFacts& facts, const core::Snapshot* snapshot, bool in_this_run, pid_t pid);

}  // namespace dlscope::app
