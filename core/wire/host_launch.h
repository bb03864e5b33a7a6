// The command line that starts a host process, as viewer and host have to agree on it.
//   shared libpython:   dlscope-host --libpython PATH --python EXECUTABLE --package-dir DIR --region-fd N
//   static interpreter: EXECUTABLE <host_boot_file(DIR)> --package-dir DIR --region-fd N
// EXECUTABLE becomes sys.executable (a venv's python, symbolic links not resolved); DIR is the
// folder that holds the package `dlscope` (site-packages when it was installed by pip); N is the
// inherited file descriptor of the region. Both forms run the boot file on the process's main
// thread. It is a file because `-c` would put the current folder on sys.path before our code runs.
#pragma once

#include <string>

namespace dlscope::core::wire {

// Exit code of a host that could not start; it has written the reason to its standard error, in one line.
inline constexpr int kHostCannotServe = 3;

[[nodiscard]] inline std::string host_boot_file(const std::string& package_dir) { return package_dir + "/dlscope/_host_boot.py"; }

}  // namespace dlscope::core::wire
