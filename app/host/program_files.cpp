#include "app/host/program_files.h"

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <system_error>

namespace dlscope::app {

namespace fs = std::filesystem;
using core::ErrorKind;
using core::fail;
using core::Result;

namespace {

// The folder of the running executable, symbolic links resolved.
Result<fs::path> home_folder() {
  std::error_code error;
  const fs::path self = fs::read_symlink("/proc/self/exe", error);
  if (!error) return self.parent_path();
  return fail(ErrorKind::environment, "/proc/self/exe cannot be read: dlscope needs a mounted /proc to find its own files");
}

}  // namespace

Result<std::string> find_host_program() {
  const auto home = home_folder();
  if (!home) return std::unexpected(home.error());
  const fs::path program = *home / "dlscope-host";
  if (::access(program.c_str(), X_OK) == 0) return program.string();
  return fail(ErrorKind::not_found,
              "dlscope-host is missing beside dlscope in " + home->string() + ": build or install the program again");
}

Result<std::string> find_package_dir() {
  const char* chosen = std::getenv("DLSCOPE_PYTHON_DIR");
  const bool overridden = chosen != nullptr && *chosen != '\0';
  const auto home = overridden ? Result<fs::path>{} : home_folder();
  if (!home) return std::unexpected(home.error());
  std::error_code error;
  const fs::path around = home->parent_path();
  const bool in_package = !overridden && around.filename() == "dlscope" && fs::exists(around / "__init__.py", error);
  const fs::path folder =
      in_package ? around.parent_path() : fs::absolute(overridden ? fs::path{chosen} : *home / "python", error);
  if (fs::exists(folder / "dlscope" / "__init__.py", error)) return folder.string();
  const std::string where = overridden ? " (from DLSCOPE_PYTHON_DIR)" : "";
  return fail(ErrorKind::not_found,
              "the Python package dlscope is missing in " + folder.string() + where + ": build or install the program again");
}

}  // namespace dlscope::app
