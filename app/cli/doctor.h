// --doctor: what was found on this machine and what not, one line each, with the fix.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "core/base/result.h"

namespace dlscope::app {

struct Finding {
  enum class State { good, absent, bad };  // absent: something optional is not there
  State state{};
  std::string what;   // "Python"
  std::string message;  // one line: what was found, or what is wrong
  std::string fix;    // "" when there is nothing to do
};

// Looks at everything; some seconds. python: as --python. probe_picture: null when built without the window.
[[nodiscard]] std::vector<Finding> examine(const std::string& python,
                                           const std::function<core::Result<std::string>()>& probe_picture);

[[nodiscard]] std::string finding_line(const Finding& finding);

// Prints them to standard output. Returns the exit code: 0, or 3 when something is bad.
[[nodiscard]] int run_doctor(const std::string& python, const std::function<core::Result<std::string>()>& probe_picture);

}  // namespace dlscope::app
