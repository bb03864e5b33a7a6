// Pictures as PNG files.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "app/platform/surface.h"
#include "core/base/result.h"

namespace dlscope::app {

// What a picture says of itself: "Title", "Description" and the like, each with its text.
using PictureText = std::vector<std::pair<std::string, std::string>>;

// As app/files/output_file.h writes: the file is whole or what it was. thread: any. Fails (environment) with words.
[[nodiscard]] core::Result<void> write_png(const Picture& picture, const std::string& path, const PictureText& text = {});

}  // namespace dlscope::app
