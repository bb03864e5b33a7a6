#include "app/models/heatmap/heatmap_pixels.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <utility>

#include "app/models/heatmap/tile_walk.h"

namespace dlscope::app {
namespace {

constexpr std::int32_t kNoTexel = -1;
constexpr double kMinApart = 0.12;  // part of the colour table between equal pairs and the smallest difference

bool covers_room(const AxisView& view, const AxisLimits& limits, int room) {
  return view.unit_at(0) >= 0 && view.x_of(limits.length) >= static_cast<double>(room);
}

}  // namespace

std::uint32_t HeatmapInks::special(std::uint8_t flags) const {
  if ((flags & core::kTexelNan) != 0) return nan;
  return (flags & core::kTexelPosInf) != 0 ? pos_inf : neg_inf;
}

bool HeatmapInks::same_as(const HeatmapInks& other) const {
  return table == other.table && scale == other.scale && nan == other.nan && pos_inf == other.pos_inf &&
         neg_inf == other.neg_inf && none == other.none && image == other.image && equal == other.equal && several == other.several;
}

void colour_tile(const HeatmapTile& tile, TexelNumber number, const HeatmapInks& inks, std::vector<std::uint32_t>& out) {
  out.resize(tile.size());
  for (std::size_t i = 0; i < out.size(); ++i) {
    const std::uint8_t flags = tile.flags(i);
    if ((flags & core::kTexelSpecial) != 0)
      out[i] = inks.special(flags);
    else if ((flags & core::kTexelFinite) != 0 && tile.channels() > 0)
      out[i] = inks.image.colour(tile, i);
    else if ((flags & core::kTexelFinite) != 0 && inks.equal != 0)
      out[i] = (flags & core::kTexelUnequal) == 0
                   ? inks.equal
                   : inks.scale.colour_apart_from_0(*inks.table, tile.value(number, i), kMinApart);
    else if ((flags & core::kTexelFinite) != 0 && inks.several != 0)
      out[i] = category_colour(tile.value(TexelNumber::min, i), tile.value(TexelNumber::max, i), inks.several);
    else if ((flags & core::kTexelFinite) != 0)
      out[i] = inks.scale.colour(*inks.table, tile.value(number, i));
    else
      out[i] = flags == 0 && !tile.is_exact() ? 0 : inks.none;
  }
}

const std::uint32_t* HeatmapPainter::colours_of(const HeatmapTile& tile, const Look& look) {
  Colours& kept = colours_[tile.number()];
  kept.used = pictures_;
  if (kept.revision != tile.revision()) {
    colour_tile(tile, look.number, look.inks, kept.colours);
    kept.revision = tile.revision();
  }
  return kept.colours.data();
}

std::size_t HeatmapPainter::bytes() const {
  std::size_t bytes = 0;
  for (const auto& [tile, kept] : colours_) bytes += kept.colours.capacity() * sizeof(std::uint32_t);
  return bytes;
}

// Row by row; a row of pixels that shows the same texels as the one above is copied.
void HeatmapPainter::paint_level(const HeatmapStore& store, const HeatmapView& view, const HeatmapCamera& camera,
                                 const Look& look, const PixelSpan& to) {
  const std::int64_t side_down = kTileSide << view.level.down, side_across = kTileSide << view.level.across;
  texel_at_.assign(static_cast<std::size_t>(to.width), kNoTexel);
  stretches_.clear();
  for (int x = 0; x < to.width; ++x) {
    const std::int64_t cell = camera.columns.unit_at(static_cast<double>(x) + 0.5);
    if (cell < 0 || cell >= camera.column_limits.length) continue;
    const std::int64_t tile = cell / side_across;
    texel_at_[static_cast<std::size_t>(x)] = static_cast<std::int32_t>((cell - tile * side_across) >> view.level.across);
    if (stretches_.empty() || stretches_.back().tile != tile) stretches_.push_back({tile, x, x});
    stretches_.back().to = x + 1;
  }
  if (stretches_.empty()) return;
  const int first = stretches_.front().from, width = stretches_.back().to - first;
  std::int64_t texel_above = kNoTexel;
  for (int y = 0; y < to.height; ++y) {
    const std::int64_t cell = camera.rows.unit_at(static_cast<double>(y) + 0.5);
    if (cell < 0 || cell >= camera.row_limits.length) continue;
    const std::int64_t texel = cell >> view.level.down, tile_row = cell / side_down;
    std::uint32_t* const out = to.row(y);
    if (std::exchange(texel_above, texel) == texel) {
      std::memcpy(out + first, to.row(y - 1) + first, static_cast<std::size_t>(width) * sizeof *out);
      continue;
    }
    for (const TileStretch& stretch : stretches_) {
      const HeatmapTile* const tile = store.tile(view.level, tile_row, stretch.tile);
      if (tile == nullptr || tile->revision() == 0) continue;
      const std::uint32_t* const colours = colours_of(*tile, look) + (texel - tile_row * kTileSide) * tile->columns();
      if (tile->covers()) {
        for (int x = stretch.from; x < stretch.to; ++x) out[x] = colours[texel_at_[static_cast<std::size_t>(x)]];
        continue;
      }
      for (int x = stretch.from; x < stretch.to; ++x) {
        const std::uint32_t colour = colours[texel_at_[static_cast<std::size_t>(x)]];
        if (colour != 0) out[x] = colour;
      }
    }
  }
}

void HeatmapPainter::paint(const HeatmapStore& store, const HeatmapView& view, const HeatmapCamera& camera, const Look& look,
                           const PixelSpan& to) {
  ++pictures_;
  if (look.number != number_ || !look.inks.same_as(inks_)) colours_.clear();
  number_ = look.number;
  inks_ = look.inks;
  const bool is_covered = known_of(store, view).is_covered();
  const bool fills_room =
      covers_room(camera.rows, camera.row_limits, to.height) && covers_room(camera.columns, camera.column_limits, to.width);
  if (!is_covered || !fills_room) {
    for (int y = 0; y < to.height; ++y) std::fill_n(to.row(y), to.width, look.ground);
  }
  // Coarser tiles only as far as needed: up to the finest level that covers the whole view.
  std::vector<HeatmapView> coarser;
  for (std::size_t i = store.levels().size(); !is_covered && i-- > 0;) {
    if (!is_coarser(store.levels()[i], view.level)) continue;
    coarser.push_back(tiles_over(view, store.levels()[i]));
    if (known_of(store, coarser.back()).is_covered()) break;
  }
  for (std::size_t i = coarser.size(); i-- > 0;) paint_level(store, coarser[i], camera, look, to);
  paint_level(store, view, camera, look, to);
  const bool is_exact = known_of(store, view).is_exact();
  if (look.inks.equal != 0) paint_unequal(store, view, camera, look, to);
  const std::array<std::uint8_t, 3> kinds = marks_in_order(store, view);
  for (int frame = look.frames ? kFrame : 0; frame >= 0; --frame) {  // first all frames, so that none covers a special value
    for (const std::uint8_t kind : kinds) {
      if (!is_exact) paint_coarser_specials(store, view, camera, look, to, {kind, frame});
      paint_specials(store, view, camera, look, to, {kind, frame});
    }
  }
  if (look.inks.image.shows_alpha()) blend_over_checks(to);
  std::erase_if(colours_, [this](const auto& entry) { return entry.second.used != pictures_; });
}

}  // namespace dlscope::app
