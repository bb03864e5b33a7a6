#include "app/models/script/working_folder.h"

#include <filesystem>

#include "app/files/home_folder.h"

namespace dlscope::app {

std::string working_folder_from(std::string_view typed, const std::string& script_path) {
  const auto first = typed.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  typed = typed.substr(first, typed.find_last_not_of(" \t") - first + 1);
  std::filesystem::path folder = typed;
  const std::string home = typed == "~" || typed.starts_with("~/") ? home_folder() : std::string();
  if (!home.empty()) folder = std::filesystem::path(home) / typed.substr(typed.size() > 1 ? 2 : 1);
  std::error_code ignored;
  const std::filesystem::path base =
      script_path.empty() ? std::filesystem::current_path(ignored) : std::filesystem::path(script_path).parent_path();
  std::string out = (base / folder).lexically_normal().string();
  while (out.size() > 1 && out.ends_with('/')) out.pop_back();
  return out;
}

}  // namespace dlscope::app
