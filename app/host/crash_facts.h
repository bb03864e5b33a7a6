// Facts about a host that is parked after a fatal signal: from the record its signal handler wrote (not trusted, like all that
// the host wrote) and from the address map of its process.
// thread: any.
#pragma once

#include <sys/types.h>

#include <chrono>

#include "core/inventory/run_outcome.h"
#include "core/inventory/snapshot.h"
#include "core/wire/region.h"

namespace dlscope::app {

// Reads the symbol tables of the files that the crashing code lies in: a quarter of a second for the largest on a cold disk.
// host_start: not later than the start of the process; only files unchanged since then give names (native_names.h).
[[nodiscard]] core::CrashFacts crash_facts(pid_t pid, std::chrono::system_clock::time_point host_start,
                                           const core::wire::CrashRecord& record);

// Where the fault address lies relative to the tensors of the last snapshot, as a sentence; "" when there is no address.
// snapshot: null when nothing was scanned. in_this_run: it was taken in the run that crashed. pid: its process still exists.
[[nodiscard]] std::string crash_place(const core::CrashFacts& facts, const core::Snapshot* snapshot, bool in_this_run, pid_t pid);

}  // namespace dlscope::app
