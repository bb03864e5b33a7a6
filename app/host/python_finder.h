// Which Python to embed, and how: a shared libpython for dlscope-host, or a static interpreter that is its own host.
// Precedence: --python, the Python of `python -m dlscope`, $VIRTUAL_ENV, $CONDA_PREFIX, ./.venv (only when this user owns it), the
// Python that dlscope is installed in, python3 on PATH.
#pragma once

#include <stop_token>
#include <string>
#include <vector>

#include "core/base/result.h"

namespace dlscope::app {

struct PythonChoice {
  std::string executable;  // the future sys.executable: a venv's python, link not resolved
  std::string libpython;   // empty: static interpreter, it is its own host
  std::string version;     // "3.11.7"
  std::string prefix, base_prefix;
  std::string chosen_because;  // "--python", "$VIRTUAL_ENV", "./.venv", "python3 on PATH"
};

// Runs the interpreter once (-I -S) and asks it about itself. Blocks up to some seconds or until `stop`: not on the UI thread.
// asked: the --python option, "" for none; an executable or a venv/conda folder.
// Fails with a message that names the fix: not found, broken venv, version below 3.9, free-threaded, cannot run.
[[nodiscard]] core::Result<PythonChoice> find_python(const std::string& asked, const std::stop_token& stop = {});

}  // namespace dlscope::app
