// Judges a recorded trace of streams without a window: what orders its accesses, and whether any of them race.
#pragma once

#include "app/cli/options.h"

namespace dlscope::app {

// Prints the verdict with its reasons. Returns 0: everything is ordered; 4: a race; 2: not a trace; 3: standard output
// cannot be written.
[[nodiscard]] int judge_trace_headless(const Options& options);

}  // namespace dlscope::app
