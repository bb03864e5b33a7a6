// The Python that started this program: as `dlscope`, installed by pip, or as `python -m dlscope`
// (embed/python/dlscope/__main__.py). It passes its path in the environment; the variable is removed before anything else starts,
// so scripts and children do not see it.
#pragma once

#include <string>

namespace dlscope::app {

struct StartingPython {
  std::string installed_for;  // by the installed command: embedded when nothing else is chosen
  std::string run_by;         // by `python -m dlscope`: embedded unless --python says otherwise
};

// thread: main, before other threads exist. Only the first call reads the environment.
const StartingPython& take_starting_python();

}  // namespace dlscope::app
