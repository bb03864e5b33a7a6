// HeatmapPainter's marks: special values and differences, enlarged so that a single one of many can be seen.
#include <algorithm>
#include <array>
#include <cmath>

#include "app/models/heatmap/heatmap_pixels.h"
#include "app/models/heatmap/tile_walk.h"

namespace dlscope::app {
namespace {

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

// frame: as in paint_specials(). The wider frame of the two is white, the other black.
void fill_special(const PixelStretch& x, const PixelStretch& y, std::uint32_t ink, const PixelSpan& to, int frame) {
  if (frame == 0 || x.to <= x.from || y.to <= y.from) return fill(x, y, ink, to);
  const auto wider = [frame](const PixelStretch& s, int room) {
    return PixelStretch{std::max(s.from - frame, 0), std::min(s.to + frame, room)};
  };
  fill(wider(x, to.width), wider(y, to.height), frame > 1 ? 0xFFFFFFFFU : 0xFF000000U, to);
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

}  // namespace

std::array<std::uint8_t, 3> HeatmapPainter::marks_in_order(const HeatmapStore& store, const HeatmapView& view) {
  constexpr std::uint8_t kInfinities = core::kTexelPosInf | core::kTexelNegInf;
  std::size_t positive = 0, negative = 0;
  const auto count = [&](std::uint8_t flags) {
    positive += (flags & core::kTexelPosInf) != 0 ? 1 : 0;
    negative += (flags & core::kTexelNegInf) != 0 ? 1 : 0;
  };
  for_each_tile(store, view, [&](const HeatmapTile& tile) {
    for (std::size_t i = 0; (tile.all_flags() & kInfinities) != 0 && i < tile.size(); ++i) count(tile.flags(i));
  });
  for_each_coarser(store, view, kInfinities,
                   [&](const HeatmapTile& tile, std::size_t i, const core::CellWindow&) { count(tile.flags(i)); });
  if (negative < positive) return {core::kTexelPosInf, core::kTexelNegInf, core::kTexelNan};
  return {core::kTexelNegInf, core::kTexelPosInf, core::kTexelNan};
}

// Only texels drawn smaller than least_special; adjacent ones together.
void HeatmapPainter::paint_specials(const HeatmapStore& store, const HeatmapView& view, const HeatmapCamera& camera,
                                    const Look& look, const PixelSpan& to, Marks marks) {
  const bool large = std::ldexp(camera.rows.px_per_unit(), view.level.down) >= look.least_special &&
                     std::ldexp(camera.columns.px_per_unit(), view.level.across) >= look.least_special;
  if (large) return;
  const std::uint32_t ink = look.inks.special(marks.kind);
  for_each_tile(store, view, [&](const HeatmapTile& tile) {
    if ((tile.all_flags() & marks.kind) == 0) return;
    for (std::int64_t row = 0; row < tile.rows(); ++row) {
      const auto is_marked = [&](std::int64_t at) { return (tile.flags(tile.index_of(row, at)) & marks.kind) != 0; };
      for (std::int64_t column = 0; column < tile.columns();) {
        const std::int64_t first = column++;
        if (!is_marked(first)) continue;
        while (column < tile.columns() && is_marked(column)) ++column;
        const core::CellWindow cells = cells_of(tile, row, first);
        const PixelStretch y = pixels_of(camera.rows, cells.row, cells.rows, look.least_special, to.height);
        const PixelStretch x =
            pixels_of(camera.columns, cells.column, cells.columns * (column - first), look.least_special, to.width);
        fill_special(x, y, ink, to, marks.frame);
      }
    }
  });
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
                                            const Look& look, const PixelSpan& to, Marks marks) {
  const std::uint32_t ink = look.inks.special(marks.kind);
  for_each_coarser(store, view, marks.kind, [&](const HeatmapTile&, std::size_t, const core::CellWindow& cells) {
    for_each_inexact_part(store, view, camera, cells, look.least_special, to,
                          [&](const PixelStretch& x, const PixelStretch& y) { fill_special(x, y, ink, to, marks.frame); });
  });
}

}  // namespace dlscope::app
