#include "app/host/host_command.h"

#include "app/host/program_files.h"
#include "core/wire/host_launch.h"

namespace dlscope::app {

core::Result<std::vector<std::string>> host_command(const PythonChoice& python, int region_fd) {
  const auto package_dir = find_package_dir();
  if (!package_dir) return std::unexpected(package_dir.error());
  std::vector<std::string> command;
  if (python.libpython.empty()) {
    command = {python.executable, core::wire::host_boot_file(*package_dir)};
  } else {
    const auto program = find_host_program();
    if (!program) return std::unexpected(program.error());
    command = {*program, "--libpython", python.libpython, "--python", python.executable};
  }
  for (const std::string& word :
       {std::string{"--package-dir"}, *package_dir, std::string{"--region-fd"}, std::to_string(region_fd)}) {
    command.push_back(word);
  }
  return command;
}

}  // namespace dlscope::app
