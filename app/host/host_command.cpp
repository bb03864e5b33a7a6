#include "app/host/host_command.h"

#include "core/wire/host_launch.h"

namespace dlscope::app {

std::vector<std::string> host_command(const ProgramFiles& files, const PythonChoice& python, int region_fd) {
  std::vector<std::string> command;
  if (python.libpython.empty()) {
    command = {python.executable, core::wire::host_boot_file(files.package_dir)};
  } else {
    command = {files.host_executable, "--libpython", python.libpython, "--python", python.executable};
  }
  for (const std::string& word : {std::string{"--package-dir"}, files.package_dir, std::string{"--region-fd"}, std::to_string(region_fd)}) {
    command.push_back(word);
  }
  return command;
}

}  // namespace dlscope::app
