// Where the program's other two files lie: dlscope-host and the folder that contains the Python package dlscope/.
// Both are looked for beside the running executable; the environment variable DLSCOPE_PYTHON_DIR overrides the folder.
#pragma once

#include <string>

#include "core/base/result.h"

namespace dlscope::app {

struct ProgramFiles {
  std::string host_executable;  // absolute
  std::string package_dir;      // absolute; goes last on sys.path
};

// Fails with words when one of them is missing: a broken installation.
[[nodiscard]] core::Result<ProgramFiles> find_program_files();

// The folder of the running executable, symbolic links resolved; "" when the system does not tell.
[[nodiscard]] std::string executable_folder();

}  // namespace dlscope::app
