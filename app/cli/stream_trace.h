// A recorded trace of streams in the place of the script, without a window: what is said of it, and whether anything in it races.
#pragma once

#include "app/cli/options.h"

namespace dlscope::app {

// Prints the verdict with its reasons. Returns 0: everything is ordered, 4: a race, 2: no trace, or options that it has no use for,
// 3: standard output cannot be written.
[[nodiscard]] int judge_trace_headless(const Options& options);

}  // namespace dlscope::app
