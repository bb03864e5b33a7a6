// How a host process is started: what viewer and host have to agree on.
//   shared libpython:   dlscope-host --libpython PATH --python EXECUTABLE --package-dir DIR --region-fd N
//   static interpreter: EXECUTABLE <host_boot_file(DIR)> --package-dir DIR --region-fd N
// with EXECUTABLE what sys.executable shall be (a venv's python, not resolved), DIR the folder that holds the package
// `dlscope` (installed by pip: beside everything else that was), N the inherited descriptor of the region. Both run the boot
// file on the process's main thread. A file and not -c: with -c the current folder is on sys.path before our first line runs.
#pragma once

#include <string>

namespace dlscope::core::wire {

// Exit code of a host that cannot serve: the reason was written to its standard error in one line.
inline constexpr int kHostCannotServe = 3;

[[nodiscard]] inline std::string host_boot_file(const std::string& package_dir) { return package_dir + "/dlscope/_host_boot.py"; }

}  // namespace dlscope::core::wire
