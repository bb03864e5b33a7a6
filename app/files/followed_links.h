// Where a path leads when its links are followed as the kernel follows them for a program that opens the path for writing, also when
// nothing is there yet.
#pragma once

#include <optional>
#include <string>

#include "core/base/result.h"

namespace dlscope::app {

// The descriptor a path like /dev/fd/5 or /dev/stdout stands for. Opening such a path again would start at the file's beginning.
[[nodiscard]] std::optional<int> descriptor_of(const std::string& path);

// A link comes back when links go round in circles. Fails (environment, the reason alone) where another user has laid a link or a
// file out in a folder like /tmp, where everybody may make files but nobody may remove those of others: what the shell's `>` refuses
// under fs.protected_symlinks, fs.protected_regular and fs.protected_fifos = 1. We refuse it whatever these are set to, and root too.
[[nodiscard]] core::Result<std::string> follow_links(std::string path);

}  // namespace dlscope::app
