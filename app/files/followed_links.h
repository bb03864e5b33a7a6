// Follows the links of a path as the kernel does for a program that opens the path for writing, also when nothing exists there
// yet.
#pragma once

#include <optional>
#include <string>

#include "core/base/result.h"

namespace dlscope::app {

// The descriptor that a path like /dev/fd/5 or /dev/stdout stands for. Opening such a path would start at the file's beginning.
[[nodiscard]] std::optional<int> descriptor_of(const std::string& path);

// The resolved path; a link itself when links form a circle. Fails (environment, the reason alone) when another user put a link
// or a file into a folder like /tmp, where everybody may create files but nobody may remove those of others. The shell's `>`
// refuses that under fs.protected_symlinks, fs.protected_regular and fs.protected_fifos = 1; we refuse it whatever they are set
// to, also as root.
[[nodiscard]] core::Result<std::string> follow_links(std::string path);

}  // namespace dlscope::app
