// One Python that could run the scripts, as the list of Pythons shows it.
#pragma once

#include <string>
#include <vector>

namespace dlscope::app {

struct PythonEntry {
  std::string path;       // what to choose it by
  std::string because;    // where it was found: "$VIRTUAL_ENV", "PATH", "used before"
  std::string version;    // "3.11.7"; "" while unknown
  std::string venv;       // name of its virtual environment; "" for none
  std::string libraries;  // "numpy 2.4  torch 2.13"; "" for none found
  std::string refusal;    // why it cannot be used, with what to do; "": it can
};

struct PythonList {
  std::vector<PythonEntry> entries;
  bool looking = false;
};

}  // namespace dlscope::app
