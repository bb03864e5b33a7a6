// Where the program's other two files lie: dlscope-host and the folder that contains the Python package dlscope/.
// Both are looked for beside the running executable; the environment variable DLSCOPE_PYTHON_DIR overrides the folder.
#pragma once

#include <string>

#include "core/base/result.h"

namespace dlscope::app {

// Absolute paths. Both fail with words when the file is missing: a broken installation.
[[nodiscard]] core::Result<std::string> find_host_program();
[[nodiscard]] core::Result<std::string> find_package_dir();  // goes last on sys.path

}  // namespace dlscope::app
