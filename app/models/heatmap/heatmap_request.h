// HeatmapRequest: tiles of a heat map that are to be computed.
//
// A heat map is stored as a pyramid of tiles. A level has texels of 2^down x 2^across cells of the table
// (core/reduce/cell_axes.h); a tile is a square of kTileSide texels, fewer at the table's ends. The grid of tiles is fixed:
// panning computes only what comes into view, and zooming can show coarser tiles at once.
#pragma once

#include <cstdint>
#include <optional>

#include "core/compare/difference_kind.h"
#include "core/inventory/snapshot.h"
#include "core/reduce/cell_axes.h"

namespace dlscope::app {

inline constexpr std::int64_t kTileSide = 32;

struct TexelLevel {
  std::uint8_t down = 0, across = 0;
  [[nodiscard]] std::int64_t row_step() const { return std::int64_t{1} << down; }
  [[nodiscard]] std::int64_t column_step() const { return std::int64_t{1} << across; }
  friend bool operator==(const TexelLevel&, const TexelLevel&) = default;
};

// A rectangle of tiles of one level.
struct TileRect {
  std::int64_t row = 0, column = 0, rows = 0, columns = 0;
  [[nodiscard]] std::int64_t count() const { return rows * columns; }
  friend bool operator==(const TileRect&, const TileRect&) = default;
};

// The cells of those tiles. cells: the size of the whole table.
[[nodiscard]] core::CellWindow window_of(const TexelLevel& level, const TileRect& tiles, const core::CellCounts& cells);

struct HeatmapRequest {
  std::uint32_t tensor = core::kNone32;
  core::CellAxes axes;  // of the tensor, or of its field
  core::CellCounts cells;  // the size of the table, which follows from tensor and axes
  TexelLevel level;
  TileRect tiles;
  std::uint64_t most_exact = 0;  // when there are at most so many values, read all of them; else a sample
  // Of the tensor minus the one it is compared with; nullopt: of the tensor itself.
  std::optional<core::DifferenceKind> difference = {};
  std::uint16_t field = core::kNone16;  // an index into core::fields_of(): of this field; kNone16: of the tensor itself
  friend bool operator==(const HeatmapRequest& a, const HeatmapRequest& b) {
    return a.tensor == b.tensor && a.axes == b.axes && a.level == b.level && a.tiles == b.tiles && a.most_exact == b.most_exact &&
           a.difference == b.difference && a.field == b.field;
  }
};

}  // namespace dlscope::app
