// The Pythons of this machine that a person may choose from: where they are, whether they can be used, with which libraries.
#pragma once

#include <stop_token>
#include <string>
#include <vector>

#include "app/models/host/python_entry.h"

namespace dlscope::app {

// Paths of Pythons: active environments, ./.venv, PATH, conda and pyenv folders, `recent`. Each file once, at most a few dozen.
// Runs none of them. asked: what a person typed, "" for nothing: its entry is the first, with the refusal where it is none.
[[nodiscard]] std::vector<PythonEntry> python_candidates(const std::vector<std::string>& recent, const std::string& asked);

// Runs one (as find_python does) and fills in what it is, or why it cannot be used. Blocks for seconds or until `stop`. thread: a
// worker.
void probe_python(PythonEntry& entry, const std::stop_token& stop);

// "numpy 2.4.1  torch 2.13": the libraries in prefix/lib/pythonX.Y/site-packages, by the folders pip made there; runs nothing.
[[nodiscard]] std::string installed_libraries(const std::string& prefix, const std::string& version);

}  // namespace dlscope::app
