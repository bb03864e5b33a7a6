// Finds the program's other two files: dlscope-host and the folder that contains the Python package dlscope/. Both are searched
// from the running executable: the host beside it; the package in python/ beside it or, installed by pip, around it
// (dlscope/_app/dlscope). The environment variable DLSCOPE_PYTHON_DIR overrides the folder.
#pragma once

#include <string>

#include "core/base/result.h"

namespace dlscope::app {

// Absolute paths. Both fail (with a message to show) when the file is missing: a broken installation.
[[nodiscard]] core::Result<std::string> find_host_program();
[[nodiscard]] core::Result<std::string> find_package_dir();

}  // namespace dlscope::app
