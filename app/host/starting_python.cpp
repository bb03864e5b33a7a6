#include "app/host/starting_python.h"

#include <cstdlib>

namespace dlscope::app {
namespace {

std::string taken(const char* variable) {
  const char* value = std::getenv(variable);
  std::string out = value == nullptr ? "" : value;
  ::unsetenv(variable);
  return out;
}

}  // namespace

const StartingPython& take_starting_python() {
  static const StartingPython kStarting{.installed_for = taken("DLSCOPE_INSTALLED_FOR"), .run_by = taken("DLSCOPE_RUN_BY")};
  return kStarting;
}

}  // namespace dlscope::app
