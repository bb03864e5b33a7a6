// The Python that started this program: `dlscope`, installed by pip, or `python -m dlscope` (embed/python/dlscope/__main__.py).
// It says so in the environment, from where it is taken before anything else starts: scripts and children do not see it.
#pragma once

#include <string>

namespace dlscope::app {

struct StartingPython {
  std::string installed_for;  // by the installed command: embedded when nothing else is chosen
  std::string run_by;         // by `python -m dlscope`: embedded unless --python says otherwise
};

// thread: the first, before there are others. Only the first call looks at the environment.
const StartingPython& take_starting_python();

}  // namespace dlscope::app
