// The exit code of a headless run. Precedence: 2, 3, 5, 124, 130, 1, 4; a --select that names nothing is 2 only when nothing else
// failed. A scan that did not complete after a script that ended well counts like a failure of the script: 3 no result, 5 its
// process was ended, 130 interrupted.
#pragma once

#include <cstdint>

#include "app/cli/supervised_run.h"
#include "core/inventory/run_outcome.h"

namespace dlscope::app {

enum ExitCode : int {
  kExitFine = 0,
  kExitRaised = 1,
  kExitUsage = 2,
  kExitEnvironment = 3,
  kExitExpectation = 4,
  kExitCrashed = 5,
  kExitTimeout = 124,
  kExitInterrupted = 130
};

struct HeadlessVerdict {
  core::RunOutcome outcome;
  ScanEnd scan_end = ScanEnd::complete;
  bool environment_failed = false;  // no usable Python, or a report or picture that could not be written
  bool expectation_failed = false;
  bool selection_missing = false;  // --select names no tensor: wrong usage, but known only after the run
};

[[nodiscard]] int exit_code_of(const HeadlessVerdict& verdict);

}  // namespace dlscope::app
