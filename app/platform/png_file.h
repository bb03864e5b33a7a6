// Pictures as PNG files.
#pragma once

#include <string>

#include "app/platform/surface.h"
#include "core/base/result.h"

namespace dlscope::app {

// As app/files/output_file.h writes: the file is whole or what it was. thread: any. Fails (environment) with words.
[[nodiscard]] core::Result<void> write_png(const Picture& picture, const std::string& path);

}  // namespace dlscope::app
