// One Python that scripts could run in, as the list of Pythons shows it.
#pragma once

#include <string>
#include <vector>

namespace dlscope::app {

struct PythonEntry {
  std::string path;       // the path to choose it by
  std::string because;    // where it was found: "$VIRTUAL_ENV", "PATH", "used before"
  std::string version;    // "3.11.7"; "" while unknown
  std::string venv;       // name of its virtual environment; "": none
  std::string libraries;  // "numpy 2.4  torch 2.13"; "": none found
  std::string refusal;    // why it cannot be used and what to do; "": it can
};

struct PythonList {
  std::vector<PythonEntry> entries;
  bool looking = false;
  std::string tried;    // a path that is looked at before it is taken; "": none
  std::string refusal;  // why the path that was tried last was not taken; ""
};

}  // namespace dlscope::app
