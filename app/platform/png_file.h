// Pictures as PNG files.
#pragma once

#include <string>

#include "app/platform/surface.h"
#include "core/base/result.h"

namespace dlscope::app {

// Writes beside and renames: the file is whole or not there. Fails (environment) with the system's reason.
[[nodiscard]] core::Result<void> write_png(const Picture& picture, const std::string& path);

}  // namespace dlscope::app
