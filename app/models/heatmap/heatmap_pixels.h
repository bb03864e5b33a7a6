// Tiles as pixels: where each texel lies on the screen, which colour it has, and special values made large enough to be seen. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

#include "app/models/heatmap/colour_maps.h"
#include "app/models/heatmap/heatmap_image.h"
#include "app/models/heatmap/heatmap_window.h"

namespace dlscope::app {

// Of the cells of a view that are seen only.
[[nodiscard]] NumberRange range_of(const HeatmapStore& store, const HeatmapView& view, const core::CellWindow& seen,
                                   TexelNumber number);
// So that the part `low` of the texels that are seen and have a number lies below the range, and the part 1 - `high` above it.
[[nodiscard]] NumberRange percentile_range(const HeatmapStore& store, const HeatmapView& view, const core::CellWindow& seen,
                                           TexelNumber number, double low, double high);

struct HeatmapInks {
  const ColourTable* table = nullptr;
  ColourScale scale;
  std::uint32_t nan = 0, pos_inf = 0, neg_inf = 0;
  std::uint32_t none = 0;  // cells of no value at all
  ImageInks image = {};    // instead of table and scale, for the tiles of an image
  // Of a difference: the colour of texels in which all pairs are equal, which no other texel has; 0: it is none.
  std::uint32_t equal = 0;
  [[nodiscard]] bool same_as(const HeatmapInks& other) const;
};
// One for each texel of the tile; of a texel that is not known yet 0.
void colour_tile(const HeatmapTile& tile, TexelNumber number, const HeatmapInks& inks, std::vector<std::uint32_t>& out);

// HeatmapPainter: paints what is known of a view onto pixels, what is coarser below what is finer. The colours of tiles are kept from one
// picture to the next, so that moving works out none of them.
// thread: one.
class HeatmapPainter {
 public:
  struct Look {
    TexelNumber number = TexelNumber::mean;
    HeatmapInks inks;
    std::uint32_t ground = 0;  // where nothing is known
    int least_special = 1;     // pixels: special values are drawn at least as wide and high
    bool frames = false;       // with a black and a white frame: no colour stands out from every image
  };
  void paint(const HeatmapStore& store, const HeatmapView& view, const HeatmapCamera& camera, const Look& look,
             const PixelSpan& to);
  [[nodiscard]] std::size_t bytes() const;

 private:
  struct Colours {
    std::uint64_t revision = 0;  // the tile's
    std::uint64_t used = 0;      // the last picture that had them
    std::vector<std::uint32_t> colours;
  };
  struct TileStretch {
    std::int64_t tile = 0;
    int from = 0, to = 0;  // pixels
  };

  [[nodiscard]] const std::uint32_t* colours_of(const HeatmapTile& tile, const Look& look);
  void paint_level(const HeatmapStore& store, const HeatmapView& view, const HeatmapCamera& camera, const Look& look,
                   const PixelSpan& to);
  // frame: so many pixels around each of them; 0: themselves.
  void paint_specials(const HeatmapStore& store, const HeatmapView& view, const HeatmapCamera& camera, const Look& look,
                      const PixelSpan& to, int frame);
  // Texels of a difference that are not equal, as large, over those that are.
  void paint_unequal(const HeatmapStore& store, const HeatmapView& view, const HeatmapCamera& camera, const Look& look,
                     const PixelSpan& to);
  void paint_coarser_specials(const HeatmapStore& store, const HeatmapView& view, const HeatmapCamera& camera, const Look& look,
                              const PixelSpan& to, int frame);

  std::uint64_t pictures_ = 0;
  TexelNumber number_ = TexelNumber::mean;
  HeatmapInks inks_;
  std::unordered_map<std::uint64_t, Colours> colours_;  // of tiles, by their number
  // Kept for their room: for each pixel of a row which texel of its tile it shows, and the tiles of the row.
  std::vector<std::int32_t> texel_at_;
  std::vector<TileStretch> stretches_;
};

}  // namespace dlscope::app
