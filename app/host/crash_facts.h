// What can be found out about a host that stands still after a fatal signal: from the record its handler wrote, which is hostile like
// all that the host wrote, and from the address map of its process.
// thread: any.
#pragma once

#include <sys/types.h>

#include "core/inventory/run_outcome.h"
#include "core/inventory/snapshot.h"
#include "core/wire/region.h"

namespace dlscope::app {

[[nodiscard]] core::CrashFacts crash_facts(pid_t pid, const core::wire::CrashRecord& record);

// Where the address lies among the tensors of the last look, in a sentence; "" where there is no address. snapshot: null where nothing was
// looked at. in_this_run: the look was made in the run that crashed. pid: its process still stands.
[[nodiscard]] std::string crash_place(const core::CrashFacts& facts, const core::Snapshot* snapshot, bool in_this_run, pid_t pid);

}  // namespace dlscope::app
