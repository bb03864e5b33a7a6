// The interpreters the host's tests run on: $DLSCOPE_TEST_PYTHONS (executables, separated by ':'), else what PATH and
// pyenv offer, one per version and kind.
#pragma once

#include <string>
#include <vector>

namespace dlscope::tests {

struct TestPython {
  std::string executable, libpython;  // libpython empty: a static interpreter, its own host
  std::string version;                // "3.11.7"
  int minor = 0;
};

// All CPythons from 3.9 on that were found; asked once per process.
[[nodiscard]] const std::vector<TestPython>& test_pythons();

// Every interpreter found, those dlscope must refuse included.
[[nodiscard]] const std::vector<TestPython>& all_pythons();

// Those with coverage, debuggers and pytest installed: $DLSCOPE_TEST_PYTHONS_TOOLS (cmake/requirements/tools.txt).
[[nodiscard]] const std::vector<TestPython>& pythons_with_tools();

// What a shell command prints on its standard output.
[[nodiscard]] std::string output_of_command(const std::string& command);

}  // namespace dlscope::tests
