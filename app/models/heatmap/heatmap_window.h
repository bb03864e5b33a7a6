// Decides which tiles a heat map shows for its camera, how much of them is known, and which to compute next. No I/O.
#pragma once

#include <optional>

#include "app/models/heatmap/heatmap_store.h"
#include "app/models/layout/axis_view.h"
#include "core/reduce/reduce_task.h"
#include "core/statistics/statistics.h"

namespace dlscope::app {

struct HeatmapCamera {
  AxisView rows, columns;
  AxisLimits row_limits, column_limits;
  [[nodiscard]] core::CellCounts cells() const { return {row_limits.length, column_limits.length}; }
};

// The visible cells, as a window of the table with steps of 1.
[[nodiscard]] core::CellWindow seen_cells(const HeatmapCamera& camera);

// What is shown: whole tiles, whose texels are at least a pixel and at most as many as a view may have.
struct HeatmapView {
  TexelLevel level;
  TileRect tiles;
  friend bool operator==(const HeatmapView&, const HeatmapView&) = default;
};
[[nodiscard]] HeatmapView view_of(const HeatmapCamera& camera, TexelForm form);
// The same place with texels of 2^coarser times as many cells in each direction, but no coarser than one tile for all cells.
[[nodiscard]] HeatmapView coarser_view(const HeatmapView& view, const core::CellCounts& cells, int coarser);

// What is known of a view.
struct HeatmapKnown {
  std::int64_t tiles = 0, covered = 0, exact = 0;
  std::uint64_t texels = 0, exact_texels = 0;
  [[nodiscard]] bool is_covered() const { return covered == tiles; }
  [[nodiscard]] bool is_exact() const { return exact == tiles; }
};
[[nodiscard]] HeatmapKnown known_of(const HeatmapStore& store, const HeatmapView& view);

// The subject of a heat map: the tensor, its axes, and how much may be read without being asked for.
struct HeatmapSubject {
  std::uint32_t tensor = core::kNone32;
  const core::CellAxes* axes = nullptr;
  core::TensorValues values;     // its layout and dtype; no values are read
  std::uint64_t most_exact = 0;  // a view with at most so many values is computed exactly
  // For A - B: the kind of difference, and B. Both tensors have the same shape.
  std::optional<core::DifferenceKind> difference = {};
  core::TensorValues subtracted = {};
  std::uint16_t field = core::kNone16;  // of the tensor; then `values` are the field's
  [[nodiscard]] TexelForm form() const;
  // How many values, or pairs of values, a window of the table stands for.
  [[nodiscard]] core::WindowValues count(const core::CellWindow& window) const;
};
// The tiles to compute next, most urgent first: coarse tiles of the visible part, a sample of it, all its values where allowed,
// then its surroundings. nullopt: nothing is missing, or it is being computed, or it failed.
[[nodiscard]] std::optional<HeatmapRequest> next_request(const HeatmapStore& store, const HeatmapCamera& camera,
                                                         const HeatmapSubject& subject);

}  // namespace dlscope::app
