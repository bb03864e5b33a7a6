// The command line a host is started with.
#pragma once

#include <string>
#include <vector>

#include "app/host/python_finder.h"
#include "core/base/result.h"

namespace dlscope::app {

// A Python with a libpython is embedded by dlscope-host; a static interpreter is started itself on our boot file and is its own host.
// Fails with words when files of ours are missing.
[[nodiscard]] core::Result<std::vector<std::string>> host_command(const PythonChoice& python, int region_fd);

}  // namespace dlscope::app
