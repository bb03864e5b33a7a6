// The file of a module that lies below a folder, by the names of folders and files alone: nothing of Python is asked or run.
#pragma once

#include <filesystem>
#include <optional>
#include <string_view>

namespace dlscope::app {

// "pkg.train" in FOLDER: FOLDER/pkg/train.py, or FOLDER/pkg/train/__main__.py of a package. Nullopt: neither is there; the module
// may lie elsewhere on the search path. Looks at the disk: not for the UI thread.
[[nodiscard]] std::optional<std::filesystem::path> file_of_module(std::string_view name, const std::filesystem::path& folder);

}  // namespace dlscope::app
