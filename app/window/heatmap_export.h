// What the heat map shows as pixels of their own, with words that say what they are of. Written as a PNG by whoever has the window.
// thread: UI.
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace dlscope::app {

struct ApplicationParts;

struct HeatmapPicture {
  std::string path;
  int width = 0, height = 0;
  std::vector<std::byte> rgba;                            // the upper row first
  std::vector<std::pair<std::string, std::string>> text;  // "Title", "x"
};

// Leaves the picture in parts.heatmap_picture; a notice says why where there is none.
void export_heatmap(ApplicationParts& parts);

}  // namespace dlscope::app
