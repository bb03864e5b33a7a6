// The command line a host is started with.
#pragma once

#include <string>
#include <vector>

#include "app/host/program_files.h"
#include "app/host/python_finder.h"

namespace dlscope::app {

// A Python with a libpython is embedded by dlscope-host; a static interpreter is started itself and is its own host.
[[nodiscard]] std::vector<std::string> host_command(const ProgramFiles& files, const PythonChoice& python, int region_fd);

}  // namespace dlscope::app
