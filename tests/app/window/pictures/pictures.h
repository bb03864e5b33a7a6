// Pictures of the real window drawn off screen, for tests: the files stay in the build folder (pictures/) to be looked at.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "app/window/screenshot.h"

namespace dlscope::app {

struct Pixels {
  unsigned width = 0, height = 0;
  std::vector<std::uint32_t> rgba;
  [[nodiscard]] std::size_t colours() const;
};

// Skips the test case, with the reason, where nothing can be drawn.
void skip_without_gl();
// Where the picture of that name is written.
[[nodiscard]] std::string picture_path(const std::string& name);
[[nodiscard]] Pixels read_png(const std::string& path);
// What a picture says of itself: "Title", "x[:, :]".
[[nodiscard]] std::vector<std::pair<std::string, std::string>> text_in_png(const std::string& path);
// Draws and reads back; the size is checked, and that something is on it.
Pixels draw(ScreenshotRequest request, const std::string& name);
// The tour as it is after its run.
[[nodiscard]] ScreenshotRequest tour_request();

}  // namespace dlscope::app
