#include "app/models/heatmap/heatmap_pixels.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>

namespace dlscope::app {
namespace {

constexpr std::int32_t kNoTexel = -1;
constexpr double kMinApart = 0.12;  // part of the colour table between equal pairs and the smallest difference

std::uint32_t special_ink(std::uint8_t flags, const HeatmapInks& inks) {
  if ((flags & core::kTexelNan) != 0) return inks.nan;
  return (flags & core::kTexelPosInf) != 0 ? inks.pos_inf : inks.neg_inf;
}

struct PixelStretch {
  int from = 0, to = 0;
};

// The pixels of some cells, at least `least` of them; empty: outside the picture.
PixelStretch pixels_of(const AxisView& view, std::int64_t first_cell, std::int64_t cells, int least, int room) {
  const double from = view.x_of(first_cell), to = view.x_of(first_cell + cells);
  if (to < 0 || from > static_cast<double>(room)) return {};
  int begin = static_cast<int>(std::floor(std::max(from, -1e6))), end = static_cast<int>(std::ceil(std::min(to, 1e6)));
  if (end - begin < least) {
    begin = static_cast<int>(std::floor((from + to) / 2 - least / 2.0));
    end = begin + least;
  }
  return {std::clamp(begin, 0, room), std::clamp(end, 0, room)};
}

void fill(const PixelStretch& x, const PixelStretch& y, std::uint32_t ink, const PixelSpan& to) {
  for (int line = y.from; line < y.to; ++line) std::fill_n(to.row(line) + x.from, std::max(x.to - x.from, 0), ink);
}

// Fills only pixels that show equal pairs.
void fill_over(const PixelStretch& x, const PixelStretch& y, std::uint32_t ink, std::uint32_t equal, const PixelSpan& to) {
  for (int line = y.from; line < y.to; ++line)
    std::replace(to.row(line) + x.from, to.row(line) + std::max(x.to, x.from), equal, ink);
}

constexpr int kFrame = 2;  // pixels of white around pixels of black

void fill_special(const PixelStretch& x, const PixelStretch& y, std::uint32_t ink, const PixelSpan& to, int frame) {
  if (frame == 0 || x.to <= x.from || y.to <= y.from) return fill(x, y, ink, to);
  const auto wider = [frame](const PixelStretch& s, int room) {
    return PixelStretch{std::max(s.from - frame, 0), std::min(s.to + frame, room)};
  };
  fill(wider(x, to.width), wider(y, to.height), frame == kFrame ? 0xFFFFFFFFU : 0xFF000000U, to);
}

template <class Each>
void for_each_tile(const HeatmapStore& store, const HeatmapView& view, Each each) {
  for (std::int64_t row = view.tiles.row; row < view.tiles.row + view.tiles.rows; ++row) {
    for (std::int64_t column = view.tiles.column; column < view.tiles.column + view.tiles.columns; ++column) {
      if (const HeatmapTile* const tile = store.tile(view.level, row, column)) each(*tile);
    }
  }
}

// The cells of a texel; at the table's end there may be fewer.
core::CellWindow cells_of(const HeatmapTile& tile, std::int64_t row, std::int64_t column) {
  const std::int64_t row_step = tile.level().row_step(), column_step = tile.level().column_step();
  return {
      (tile.row() * kTileSide + row) * row_step, (tile.column() * kTileSide + column) * column_step, row_step, column_step, 1, 1};
}

// The tiles of a coarser level that cover those of the view.
HeatmapView tiles_over(const HeatmapView& view, const TexelLevel& level) {
  const int down = level.down - view.level.down, across = level.across - view.level.across;
  HeatmapView out{level, {view.tiles.row >> down, view.tiles.column >> across, 0, 0}};
  out.tiles.rows = ((view.tiles.row + view.tiles.rows - 1) >> down) - out.tiles.row + 1;
  out.tiles.columns = ((view.tiles.column + view.tiles.columns - 1) >> across) - out.tiles.column + 1;
  return out;
}

bool is_coarser(const TexelLevel& level, const TexelLevel& than) {
  return level != than && level.down >= than.down && level.across >= than.across;
}

// Splits a range of cells in one direction at tile borders; calls each(tile, first cell, cells).
template <class Each>
void for_each_stretch(std::int64_t first, std::int64_t cells, int level, std::int64_t first_tile, std::int64_t tiles, Each each) {
  const std::int64_t side = kTileSide << level;
  const std::int64_t from = std::max(first / side, first_tile), to = std::min((first + cells - 1) / side, first_tile + tiles - 1);
  for (std::int64_t tile = from; tile <= to; ++tile) {
    const std::int64_t begin = std::max(first, tile * side), end = std::min(first + cells, (tile + 1) * side);
    each(tile, begin, end - begin);
  }
}

// Calls each(tile, index in it) for the texels of the view's tiles that show cells of `seen`.
template <class Each>
void for_each_seen(const HeatmapStore& store, const HeatmapView& view, const core::CellWindow& seen, Each each) {
  for_each_tile(store, view, [&](const HeatmapTile& tile) {
    for (std::int64_t row = 0; row < tile.rows(); ++row) {
      for (std::int64_t column = 0; column < tile.columns(); ++column) {
        const core::CellWindow cells = cells_of(tile, row, column);
        const bool is_seen = cells.row + cells.rows > seen.row && cells.row < seen.row + seen.rows &&
                             cells.column + cells.columns > seen.column && cells.column < seen.column + seen.columns;
        if (is_seen) each(tile, tile.index_of(row, column));
      }
    }
  });
}

bool covers_room(const AxisView& view, const AxisLimits& limits, int room) {
  return view.unit_at(0) >= 0 && view.x_of(limits.length) >= static_cast<double>(room);
}

}  // namespace

NumberRange range_of(const HeatmapStore& store, const HeatmapView& view, const core::CellWindow& seen, TexelNumber number) {
  NumberRange out;
  for_each_seen(store, view, seen, [&](const HeatmapTile& tile, std::size_t i) {
    out.flags |= tile.flags(i);
    if ((tile.flags(i) & core::kTexelFinite) != 0) tile.for_each_number(number, i, [&](double x) { out.include(x); });
  });
  return out;
}

NumberRange percentile_range(const HeatmapStore& store, const HeatmapView& view, const core::CellWindow& seen, TexelNumber number,
                             double low, double high) {
  NumberRange out;
  std::vector<double> numbers;
  for_each_seen(store, view, seen, [&](const HeatmapTile& tile, std::size_t i) {
    out.flags |= tile.flags(i);
    if ((tile.flags(i) & core::kTexelFinite) != 0) tile.for_each_number(number, i, [&](double x) { numbers.push_back(x); });
  });
  if (numbers.empty()) return out;
  const auto at = [&](double part) {
    const auto place = static_cast<std::ptrdiff_t>(std::lround(part * static_cast<double>(numbers.size() - 1)));
    std::ranges::nth_element(numbers, numbers.begin() + place);
    return numbers[static_cast<std::size_t>(place)];
  };
  out.include(at(low));
  out.include(at(high));
  return out;
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
      out[i] = special_ink(flags, inks);
    else if ((flags & core::kTexelFinite) != 0 && tile.channels() > 0)
      out[i] = inks.image.colour(tile, i);
    else if ((flags & core::kTexelFinite) != 0 && inks.equal != 0)
      out[i] = (flags & core::kTexelUnequal) == 0
                   ? inks.equal
                   : inks.scale.colour_apart_from_0(*inks.table, tile.value(number, i), kMinApart);
    else if ((flags & core::kTexelFinite) != 0 && inks.several != 0)
      out[i] = category_colour(tile.value(TexelNumber::least, i), tile.value(TexelNumber::greatest, i), inks.several);
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

// Only texels drawn smaller than least_special; adjacent ones of one kind together.
void HeatmapPainter::paint_specials(const HeatmapStore& store, const HeatmapView& view, const HeatmapCamera& camera,
                                    const Look& look, const PixelSpan& to, int frame) {
  const bool large = std::ldexp(camera.rows.px_per_unit(), view.level.down) >= look.least_special &&
                     std::ldexp(camera.columns.px_per_unit(), view.level.across) >= look.least_special;
  if (large) return;
  for_each_tile(store, view, [&](const HeatmapTile& tile) {
    if ((tile.all_flags() & core::kTexelSpecial) == 0) return;
    for (std::int64_t row = 0; row < tile.rows(); ++row) {
      for (std::int64_t column = 0; column < tile.columns();) {
        const std::uint8_t flags = tile.flags(tile.index_of(row, column));
        const std::int64_t first = column++;
        if ((flags & core::kTexelSpecial) == 0) continue;
        const std::uint32_t ink = special_ink(flags, look.inks);
        for (; column < tile.columns(); ++column) {
          const std::uint8_t next = tile.flags(tile.index_of(row, column));
          if ((next & core::kTexelSpecial) == 0 || special_ink(next, look.inks) != ink) break;
        }
        const core::CellWindow cells = cells_of(tile, row, first);
        const PixelStretch y = pixels_of(camera.rows, cells.row, cells.rows, look.least_special, to.height);
        const PixelStretch x =
            pixels_of(camera.columns, cells.column, cells.columns * (column - first), look.least_special, to.width);
        fill_special(x, y, ink, to, frame);
      }
    }
  });
}

// Calls each(x, y) with the pixels, at least `least` each way, of the parts of some cells that no finer tile knows exactly.
template <class Each>
void for_each_inexact_part(const HeatmapStore& store, const HeatmapView& view, const HeatmapCamera& camera,
                           const core::CellWindow& cells, int least, const PixelSpan& to, Each each) {
  for_each_stretch(cells.row, cells.rows, view.level.down, view.tiles.row, view.tiles.rows,
                   [&](std::int64_t tile_row, std::int64_t row, std::int64_t rows) {
                     for_each_stretch(cells.column, cells.columns, view.level.across, view.tiles.column, view.tiles.columns,
                                      [&](std::int64_t tile_column, std::int64_t column, std::int64_t columns) {
                                        const HeatmapTile* const finer = store.tile(view.level, tile_row, tile_column);
                                        if (finer != nullptr && finer->is_exact()) return;
                                        each(pixels_of(camera.columns, column, columns, least, to.width),
                                             pixels_of(camera.rows, row, rows, least, to.height));
                                      });
                   });
}

// Calls each(tile, index, cells) for the texels with this flag in exact tiles that are coarser than the view.
template <class Each>
void for_each_coarser(const HeatmapStore& store, const HeatmapView& view, std::uint8_t flag, Each each) {
  for (const TexelLevel& level : store.levels()) {
    if (!is_coarser(level, view.level)) continue;
    for_each_tile(store, tiles_over(view, level), [&](const HeatmapTile& tile) {
      if ((tile.all_flags() & flag) == 0 || !tile.is_exact()) return;
      for (std::size_t i = 0; i < tile.size(); ++i) {
        const auto at = static_cast<std::int64_t>(i);
        if ((tile.flags(i) & flag) != 0) each(tile, i, cells_of(tile, at / tile.columns(), at % tile.columns()));
      }
    });
  }
}

// Includes differences found by reading all pairs of a coarser tile, where a finer tile's sample missed them.
void HeatmapPainter::paint_unequal(const HeatmapStore& store, const HeatmapView& view, const HeatmapCamera& camera,
                                   const Look& look, const PixelSpan& to) {
  for_each_tile(store, view, [&](const HeatmapTile& tile) {
    if ((tile.all_flags() & core::kTexelUnequal) == 0) return;
    const std::uint32_t* const colours = colours_of(tile, look);
    for (std::size_t i = 0; i < tile.size(); ++i) {
      if ((tile.flags(i) & core::kTexelUnequal) == 0) continue;
      const auto at = static_cast<std::int64_t>(i);
      const core::CellWindow cells = cells_of(tile, at / tile.columns(), at % tile.columns());
      fill_over(pixels_of(camera.columns, cells.column, cells.columns, look.least_special, to.width),
                pixels_of(camera.rows, cells.row, cells.rows, look.least_special, to.height), colours[i], look.inks.equal, to);
    }
  });
  if (known_of(store, view).is_exact()) return;
  for_each_coarser(store, view, core::kTexelUnequal, [&](const HeatmapTile& tile, std::size_t i, const core::CellWindow& cells) {
    const std::uint32_t ink = colours_of(tile, look)[i];
    for_each_inexact_part(store, view, camera, cells, look.least_special, to,
                          [&](const PixelStretch& x, const PixelStretch& y) { fill_over(x, y, ink, look.inks.equal, to); });
  });
}

// Includes special values found by reading all values of a coarser tile, where a finer tile's sample missed them.
void HeatmapPainter::paint_coarser_specials(const HeatmapStore& store, const HeatmapView& view, const HeatmapCamera& camera,
                                            const Look& look, const PixelSpan& to, int frame) {
  for_each_coarser(store, view, core::kTexelSpecial, [&](const HeatmapTile& tile, std::size_t i, const core::CellWindow& cells) {
    const std::uint32_t ink = special_ink(tile.flags(i), look.inks);
    for_each_inexact_part(store, view, camera, cells, look.least_special, to,
                          [&](const PixelStretch& x, const PixelStretch& y) { fill_special(x, y, ink, to, frame); });
  });
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
  for (int frame = look.frames ? kFrame : 0; frame >= 0; --frame) {  // first all frames, so that none covers a special value
    if (!is_exact) paint_coarser_specials(store, view, camera, look, to, frame);
    paint_specials(store, view, camera, look, to, frame);
  }
  if (look.inks.image.shows_alpha()) blend_over_checks(to);
  std::erase_if(colours_, [this](const auto& entry) { return entry.second.used != pictures_; });
}

}  // namespace dlscope::app
