#include "app/host/program_files.h"

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <system_error>

namespace dlscope::app {

namespace fs = std::filesystem;
using core::ErrorKind;
using core::Result;
using core::fail;

std::string executable_folder() {
  std::error_code error;
  const fs::path self = fs::read_symlink("/proc/self/exe", error);
  return error ? std::string{} : self.parent_path().string();
}

Result<ProgramFiles> find_program_files() {
  const fs::path home = executable_folder();
  if (home.empty()) {
    return fail(ErrorKind::environment, "/proc/self/exe cannot be read: dlscope needs a mounted /proc to find its own files");
  }
  ProgramFiles files;
  files.host_executable = (home / "dlscope-host").string();
  if (::access(files.host_executable.c_str(), X_OK) != 0) {
    return fail(ErrorKind::not_found, "dlscope-host is missing beside dlscope in " + home.string() +
                                          ": build or install the program again");
  }
  const char* chosen = std::getenv("DLSCOPE_PYTHON_DIR");
  const bool overridden = chosen != nullptr && *chosen != '\0';
  std::error_code error;
  const fs::path folder = fs::absolute(overridden ? fs::path{chosen} : home / "python", error);
  if (!fs::exists(folder / "dlscope" / "__init__.py", error)) {
    const std::string where = overridden ? " (from DLSCOPE_PYTHON_DIR)" : "";
    return fail(ErrorKind::not_found, "the Python package dlscope is missing in " + folder.string() + where +
                                          ": build or install the program again");
  }
  files.package_dir = folder.string();
  return files;
}

}  // namespace dlscope::app
