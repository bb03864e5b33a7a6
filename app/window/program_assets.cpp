#include "app/window/program_assets.h"

#include <filesystem>
#include <system_error>

namespace dlscope::app {

std::string find_asset(std::string_view name) {
  namespace fs = std::filesystem;
  std::error_code failed;
  const fs::path home = fs::read_symlink("/proc/self/exe", failed).parent_path();
  if (failed) return {};
  // Installed: beside the program. Built: two folders below the repository's root.
  for (const fs::path& root : {home / "assets", home.parent_path().parent_path() / "assets"}) {
    const fs::path file = root / name;
    if (fs::is_regular_file(file, failed)) return file.string();
  }
  return {};
}

}  // namespace dlscope::app
