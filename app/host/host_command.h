// The command line a host is started with.
#pragma once

#include <string>
#include <vector>

#include "app/host/python_finder.h"
#include "core/base/result.h"

namespace dlscope::app {

// A Python with a libpython is embedded by dlscope-host. A static interpreter runs our boot file and so is its own host.
// Fails (with a message to show) when files of ours are missing.
[[nodiscard]] core::Result<std::vector<std::string>> host_command(const PythonChoice& python, int region_fd);

}  // namespace dlscope::app
