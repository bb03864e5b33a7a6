// Function names for the native frames of a crashed, parked host, from the symbol tables of the files its code lies in.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <span>

#include "core/base/address.h"
#include "core/inventory/run_outcome.h"
#include "core/memory/address_map.h"

namespace dlscope::app {

// Fills in `symbol` of each frame (frames[i] is the code at addresses[i]) where it is certain: a wrong name is worse than none.
// The file must begin with the same bytes as the process's memory, and must not have been written to since the process started at
// `host_start`. It may have been created since then: scripts may compile the extensions they use. thread: any but the UI's: it
// reads files.
void name_native_frames(pid_t pid, const core::AddressMap& map, std::chrono::system_clock::time_point host_start,
                        std::span<const core::Address> addresses, std::span<core::CrashFacts::NativeFrame> frames);

}  // namespace dlscope::app
