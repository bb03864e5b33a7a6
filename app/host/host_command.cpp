#include "app/host/host_command.h"

namespace dlscope::app {

namespace {

// -c puts '' first on sys.path: taken out before anything is imported, so that no file beside the script gets in our way.
constexpr const char* kStaticHostBoot =
    "import sys\n"
    "if sys.path and sys.path[0] == '': del sys.path[0]\n"
    "sys.path.append(sys.argv[sys.argv.index('--package-dir') + 1])\n"
    "from dlscope import _host\n"
    "_host.main()\n";

}  // namespace

std::vector<std::string> host_command(const ProgramFiles& files, const PythonChoice& python, int region_fd) {
  std::vector<std::string> command;
  if (python.libpython.empty()) {
    command = {python.executable, "-c", kStaticHostBoot};
  } else {
    command = {files.host_executable, "--libpython", python.libpython, "--python", python.executable};
  }
  for (const std::string& word : {std::string{"--package-dir"}, files.package_dir, std::string{"--region-fd"}, std::to_string(region_fd)}) {
    command.push_back(word);
  }
  return command;
}

}  // namespace dlscope::app
