#include <fmt/core.h>
#include <sys/stat.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>

#include "app/files/home_folder.h"
#include "app/files/output_file.h"
#include "app/files/read_file.h"
#include "app/session/settings.h"

namespace dlscope::app {

namespace fs = std::filesystem;

std::string settings_path() {
  const char* config = std::getenv("XDG_CONFIG_HOME");
  if (config != nullptr && config[0] == '/') return std::string(config) + "/dlscope/settings.json";
  const std::string home = home_folder();
  return home.empty() ? std::string() : home + "/.config/dlscope/settings.json";
}

LoadedSettings load_settings(const std::string& path) {
  LoadedSettings out;
  std::error_code failed;
  if (path.empty() || !fs::exists(fs::symlink_status(path, failed))) return out;
  // Do not wait on a FIFO or a device.
  const bool is_file = fs::is_regular_file(path, failed) && fs::file_size(path, failed) <= kMaxSettingsBytes;
  const auto text =
      is_file ? read_text_file(path)
              : core::Result<std::string>(core::fail(core::ErrorKind::invalid, "it is not a regular file of a sensible size"));
  auto parsed = text ? parse_settings(*text) : core::Result<Settings>(std::unexpected(text.error()));
  if (parsed) {
    out.settings = std::move(*parsed);
    return out;
  }
  const std::string aside = path + ".broken";
  const bool kept = std::rename(path.c_str(), aside.c_str()) == 0;
  out.notice = fmt::format("The settings in {} could not be used: {}. The defaults are used{}.", path, parsed.error().message,
                           kept ? fmt::format("; the file was kept as {}", aside) : "");
  return out;
}

core::Result<void> save_settings(const std::string& path, const Settings& settings) {
  if (path.empty()) return {};
  const fs::path folder = fs::path(path).parent_path();
  std::error_code failed;
  fs::create_directories(folder, failed);
  if (failed)
    return core::fail(core::ErrorKind::environment,
                      fmt::format("cannot make the folder {}: {}", folder.string(), failed.message()));
  return write_file(path, settings_text(settings), NewFile::owner_only);
}

}  // namespace dlscope::app
