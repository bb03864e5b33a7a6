// Finds the file of a module below a folder by file names alone; Python is not involved.
#pragma once

#include <filesystem>
#include <optional>
#include <string_view>

namespace dlscope::app {

// "pkg.train" in FOLDER: FOLDER/pkg/train.py or, for a package, FOLDER/pkg/train/__main__.py. nullopt: neither exists; the module
// may be elsewhere on the search path. Reads the disk: not for the UI thread.
[[nodiscard]] std::optional<std::filesystem::path> file_of_module(std::string_view name, const std::filesystem::path& folder);

}  // namespace dlscope::app
