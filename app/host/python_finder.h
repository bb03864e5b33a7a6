// Which Python to embed, and how: a shared libpython for dlscope-host, or a static interpreter that is its own host.
// Precedence: --python, the Python of `python -m dlscope`, one chosen in the window, $VIRTUAL_ENV, $CONDA_PREFIX, ./.venv
// (only when this user owns it), the Python that dlscope is installed in, python3 on PATH.
#pragma once

#include <cstdint>
#include <stop_token>
#include <string>
#include <vector>

#include "core/base/result.h"

namespace dlscope::app {

enum class AskedBy : std::uint8_t {
  option,           // --python
  window,           // chosen in this window
  earlier_session,  // chosen in the window of an earlier session; `python -m dlscope` takes precedence
  list,             // nobody: it is one of the list of Pythons (python_list.h)
};

// Which Python was asked for.
struct AskedPython {
  std::string path = {};  // an executable, its name on PATH, or a venv/conda folder; "": none, the usual order decides
  AskedBy by = AskedBy::option;
};

struct PythonChoice {
  std::string executable;  // the future sys.executable: a venv's python, link not resolved
  std::string libpython;   // empty: static interpreter, it is its own host
  std::string version;     // "3.11.7"
  std::string prefix, base_prefix;
  std::string chosen_because;  // "--python", "$VIRTUAL_ENV", "./.venv", "python3 on PATH", "chosen in this window"
};

// Where the Python that was asked for is; runs nothing. Fails as find_python() does when there is none. asked.path: not "".
[[nodiscard]] core::Result<std::string> locate_python(const AskedPython& asked);

// Runs the interpreter once (-I -S) and asks it about itself. Blocks up to some seconds or until `stop`: not on the UI thread.
// Fails with a message that names the fix: not found, broken venv, version below 3.9, free-threaded, cannot run.
[[nodiscard]] core::Result<PythonChoice> find_python(const AskedPython& asked, const std::stop_token& stop = {});

}  // namespace dlscope::app
