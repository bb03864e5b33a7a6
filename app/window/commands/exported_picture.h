// A picture that is written as a PNG file, with a text that describes it: a heat map, or a figure that was cut out of a frame.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace dlscope::app {

struct ExportedPicture {
  std::string path;
  int width = 0, height = 0;
  std::vector<std::byte> rgba;                            // the upper row first
  std::vector<std::pair<std::string, std::string>> text;  // "Title", "x"
};

// A rectangle of a frame, in pixels; what is beyond the frame's edges does not count.
struct FrameArea {
  float left = 0, top = 0, right = 0, bottom = 0;
};

// Fills the pixels of `picture` with that area of a frame of width x height (RGBA, the upper row first). False: it is empty.
[[nodiscard]] inline bool cut_out(ExportedPicture& picture, const FrameArea& area, int width, int height,
                                  std::span<const std::byte> rgba) {
  const auto within = [](float at, int most) { return std::clamp(static_cast<int>(at), 0, most); };
  const int left = within(area.left, width), top = within(area.top, height);
  const int right = within(area.right, width), bottom = within(area.bottom, height);
  if (right <= left || bottom <= top) return false;
  picture.width = right - left;
  picture.height = bottom - top;
  for (int y = top; y < bottom; ++y) {
    const auto row =
        rgba.subspan(4 * (static_cast<std::size_t>(y) * static_cast<std::size_t>(width) + static_cast<std::size_t>(left)),
                     4 * static_cast<std::size_t>(picture.width));
    picture.rgba.insert(picture.rgba.end(), row.begin(), row.end());
  }
  return true;
}

}  // namespace dlscope::app
