#include "app/models/script/module_file.h"

#include <string>
#include <system_error>

namespace dlscope::app {

std::optional<std::filesystem::path> file_of_module(std::string_view name, const std::filesystem::path& folder) {
  std::filesystem::path base = folder;
  while (true) {
    const auto dot = name.find('.');
    const std::string_view part = name.substr(0, dot);
    if (part.empty() || part.find('/') != part.npos) return std::nullopt;
    base /= part;
    if (dot == name.npos) break;
    name.remove_prefix(dot + 1);
  }
  std::error_code error;
  // Python prefers a package over a module of the same name.
  if (const auto main = base / "__main__.py"; std::filesystem::is_regular_file(main, error)) return main;
  base += ".py";
  if (std::filesystem::is_regular_file(base, error)) return base;
  return std::nullopt;
}

}  // namespace dlscope::app
