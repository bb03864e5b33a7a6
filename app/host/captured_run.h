// Runs a short command once and captures its output: to ask an interpreter about itself.
#pragma once

#include <chrono>
#include <stop_token>
#include <string>
#include <vector>

#include "core/base/result.h"

namespace dlscope::app {

struct CapturedRun {
  int exit_code = 0;   // 128 + signal when a signal ended it
  std::string output;  // standard output, at most 256 KiB
  std::string errors;  // standard error, likewise
};

// arguments[0] is the executable's path (no search on PATH). Standard input is empty. The command runs in its own process group,
// which is killed at the time limit or when `stop` is requested. Blocks until the command has ended.
// Fails: the file cannot be executed (environment); time limit or `stop` (cancelled).
[[nodiscard]] core::Result<CapturedRun> run_captured(const std::vector<std::string>& arguments, std::chrono::milliseconds at_most,
                                                     const std::stop_token& stop = {});

}  // namespace dlscope::app
