// Paints tiles as pixels: the position and colour of each texel, and special values enlarged so that they can be seen. No I/O.
#pragma once

#include <array>
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

struct HeatmapInks {
  const ColourTable* table = nullptr;
  ColourScale scale;
  std::uint32_t nan = 0, pos_inf = 0, neg_inf = 0;
  std::uint32_t none = 0;  // for cells without any value
  ImageInks image = {};    // for the tiles of an image, in place of table and scale
  // For a difference: the colour of texels in which all pairs are equal, used for no other texel; 0: not a difference.
  std::uint32_t equal = 0;
  // For categories, in place of table and scale: the colour of texels of several; 0: not categories.
  std::uint32_t several = 0;
  // For a texel with these flags, of which one at least is kTexelNan, kTexelPosInf or kTexelNegInf; NaN goes before the infinities.
  [[nodiscard]] std::uint32_t special(std::uint8_t flags) const;
  [[nodiscard]] bool same_as(const HeatmapInks& other) const;
};
// One colour for each texel of the tile; 0: the texel is not known yet.
void colour_tile(const HeatmapTile& tile, TexelNumber number, const HeatmapInks& inks, std::vector<std::uint32_t>& out);

// HeatmapPainter: paints what is known of a view, coarser tiles below finer ones. Colours of tiles are cached between pictures,
// so panning computes none of them again.
// thread: one.
class HeatmapPainter {
 public:
  struct Look {
    TexelNumber number = TexelNumber::mean;
    HeatmapInks inks;
    std::uint32_t ground = 0;  // the colour where nothing is known
    int least_special = 1;     // pixels: the least width and height that special values are drawn with
    bool frames = false;       // frame special values in black and white, because no single colour is visible on every image
  };
  void paint(const HeatmapStore& store, const HeatmapView& view, const HeatmapCamera& camera, const Look& look,
             const PixelSpan& to);
  [[nodiscard]] std::size_t bytes() const;

 private:
  static constexpr int kFrame = 2;  // pixels of white around pixels of black

  struct Colours {
    std::uint64_t revision = 0;  // the tile's revision() when they were computed
    std::uint64_t used = 0;      // number of the last picture that used them
    std::vector<std::uint32_t> colours;
  };
  struct TileStretch {
    std::int64_t tile = 0;
    int from = 0, to = 0;  // pixels
  };

  [[nodiscard]] const std::uint32_t* colours_of(const HeatmapTile& tile, const Look& look);
  void paint_level(const HeatmapStore& store, const HeatmapView& view, const HeatmapCamera& camera, const Look& look,
                   const PixelSpan& to);
  // The special values of one kind, a core::TexelFlag. frame: draws a frame of so many pixels around each; 0: the values themselves.
  struct Marks {
    std::uint8_t kind = 0;
    int frame = 0;
  };
  // The three kinds in the order in which they are painted. Marks are larger than what they stand for, so a later one may cover an
  // earlier one: NaN is last, and of the infinities the kind that fewer texels have is after the other, so that one alone among many
  // of another kind is seen.
  [[nodiscard]] static std::array<std::uint8_t, 3> marks_in_order(const HeatmapStore& store, const HeatmapView& view);
  void paint_specials(const HeatmapStore& store, const HeatmapView& view, const HeatmapCamera& camera, const Look& look,
                      const PixelSpan& to, Marks marks);
  // Texels of a difference that are not equal, enlarged in the same way, over equal ones.
  void paint_unequal(const HeatmapStore& store, const HeatmapView& view, const HeatmapCamera& camera, const Look& look,
                     const PixelSpan& to);
  void paint_coarser_specials(const HeatmapStore& store, const HeatmapView& view, const HeatmapCamera& camera, const Look& look,
                              const PixelSpan& to, Marks marks);

  std::uint64_t pictures_ = 0;
  TexelNumber number_ = TexelNumber::mean;
  HeatmapInks inks_;
  std::unordered_map<std::uint64_t, Colours> colours_;  // by the number of the tile
  // Reused buffers: for each pixel of a row the texel it shows, and the tiles of the row.
  std::vector<std::int32_t> texel_at_;
  std::vector<TileStretch> stretches_;
};

}  // namespace dlscope::app
