// The Pythons of this machine that a person may want: where they are, which could be used, with which libraries.
#pragma once

#include <stop_token>
#include <string>
#include <vector>

#include "app/models/host/python_entry.h"

namespace dlscope::app {

// Where Pythons lie: the environments that are active, ./.venv, PATH, conda and pyenv folders, `recent`, `asked` ("" for none).
// Each file once, at most a few dozen. Runs none of them.
[[nodiscard]] std::vector<PythonEntry> python_candidates(const std::vector<std::string>& recent, const std::string& asked);

// Runs one (as find_python does) and fills in what it is, or why it cannot be used. Blocks for seconds or until `stop`: thread: a
// worker.
void probe_python(PythonEntry& entry, const std::stop_token& stop);

// "numpy 2.4.1  torch 2.13": of a prefix, by the folders pip left there; runs nothing. For prefix/lib/pythonX.Y/site-packages.
[[nodiscard]] std::string installed_libraries(const std::string& prefix, const std::string& version);

}  // namespace dlscope::app
