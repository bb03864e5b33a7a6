// What the heat map shows as pixels of their own, with words that say what they are of. Written as a PNG by whoever has the window.
// thread: UI.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
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

// A figure is what the panel draws in one frame, with text in the place of its controls. Asked for here: the next frame has it, and
// parts.heatmap_figure is what is known of it before.
void ask_for_figure(ApplicationParts& parts);
// Cuts it out of that frame, whose pixels are RGBA with the upper row first, and ends it. nullopt: the panel was not in view, or not all of
// it was read, as a notice says.
[[nodiscard]] std::optional<HeatmapPicture> cut_figure(ApplicationParts& parts, int width, int height,
                                                       std::span<const std::byte> rgba);

}  // namespace dlscope::app
