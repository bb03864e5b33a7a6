// Writes pictures as PNG files.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "app/platform/surface.h"
#include "core/base/result.h"

namespace dlscope::app {

// Texts of the PNG file: keyword ("Title", "Description") and text.
using PictureText = std::vector<std::pair<std::string, std::string>>;

// Written as by app/files/output_file.h: completely, or the old file stays. thread: any. Fails (environment) with a message.
[[nodiscard]] core::Result<void> write_png(const Picture& picture, const std::string& path, const PictureText& text = {});

}  // namespace dlscope::app
