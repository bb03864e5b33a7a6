// Pictures of texels as pixels: where each texel lies on the screen, which colour it has, and special values made large enough to be
// seen. Pure.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "app/models/heatmap/colour_maps.h"
#include "app/models/heatmap/heatmap_window.h"

namespace dlscope::app {

// Which number of a texel is drawn; all are the same where it is one cell.
enum class TexelNumber : std::uint8_t { mean, least, greatest, count };
[[nodiscard]] const char* texel_number_name(TexelNumber number);  // "mean", "min", "max"
[[nodiscard]] double number_of(const core::Texels& texels, TexelNumber number, std::size_t texel);

struct NumberRange {
  double low = 0, high = 0;
  bool any = false;
  std::uint8_t flags = 0;  // core::TexelFlag of all of them
  void include(const NumberRange& other);
};
[[nodiscard]] NumberRange range_of(const core::Texels& texels, TexelNumber number);
// Of the cells that are seen only.
[[nodiscard]] NumberRange range_of(const HeatmapPicture& picture, TexelNumber number, const core::CellWindow& seen);

struct HeatmapInks {
  const ColourTable* table = nullptr;
  ColourScale scale;
  std::uint32_t nan = 0, pos_inf = 0, neg_inf = 0;
  std::uint32_t none = 0;  // cells of no value at all
};
// A texel that is not known yet has 0.
void colour_texels(const core::Texels& texels, TexelNumber number, const HeatmapInks& inks, std::vector<std::uint32_t>& out);

// Paints the texels onto pixels, row by row, over what is there; a camera's room is width x height. Those with special values are drawn
// at least `least_special` pixels wide and high.
struct PixelSpan {
  std::uint32_t* pixels = nullptr;
  int width = 0, height = 0;
  std::size_t pitch = 0;  // pixels from one row to the next
};
void paint_texels(const HeatmapPicture& picture, std::span<const std::uint32_t> colours, const HeatmapCamera& camera,
                  int least_special, const PixelSpan& to);

}  // namespace dlscope::app
