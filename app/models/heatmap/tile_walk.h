// Loops over the tiles of a heat map's view, and the cells that a texel and a tile stand for. No I/O.
// thread: one; the store must not change meanwhile.
#pragma once

#include <algorithm>
#include <cstdint>

#include "app/models/heatmap/heatmap_window.h"

namespace dlscope::app {

// Calls each(tile) for the tiles of the view that the store has.
template <class Each>
void for_each_tile(const HeatmapStore& store, const HeatmapView& view, Each each) {
  for (std::int64_t row = view.tiles.row; row < view.tiles.row + view.tiles.rows; ++row) {
    for (std::int64_t column = view.tiles.column; column < view.tiles.column + view.tiles.columns; ++column) {
      if (const HeatmapTile* const tile = store.tile(view.level, row, column)) each(*tile);
    }
  }
}

// The cells of a texel; at the table's end there may be fewer.
[[nodiscard]] inline core::CellWindow cells_of(const HeatmapTile& tile, std::int64_t row, std::int64_t column) {
  const std::int64_t row_step = tile.level().row_step(), column_step = tile.level().column_step();
  return {
      (tile.row() * kTileSide + row) * row_step, (tile.column() * kTileSide + column) * column_step, row_step, column_step, 1, 1};
}

// The tiles of a coarser level that cover those of the view.
[[nodiscard]] inline HeatmapView tiles_over(const HeatmapView& view, const TexelLevel& level) {
  const int down = level.down - view.level.down, across = level.across - view.level.across;
  HeatmapView out{level, {view.tiles.row >> down, view.tiles.column >> across, 0, 0}};
  out.tiles.rows = ((view.tiles.row + view.tiles.rows - 1) >> down) - out.tiles.row + 1;
  out.tiles.columns = ((view.tiles.column + view.tiles.columns - 1) >> across) - out.tiles.column + 1;
  return out;
}

[[nodiscard]] inline bool is_coarser(const TexelLevel& level, const TexelLevel& than) {
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

}  // namespace dlscope::app
