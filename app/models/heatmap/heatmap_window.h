// Which tiles a heat map shows where its camera looks, how much of them is known, and which are to be worked out next. Pure.
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

// The cells that are seen, as a window of the table with steps of 1.
[[nodiscard]] core::CellWindow seen_cells(const HeatmapCamera& camera);

// What is shown: texels that are no smaller than a pixel, and no more than a view may have, in whole tiles.
struct HeatmapView {
  TexelLevel level;
  TileRect tiles;
  friend bool operator==(const HeatmapView&, const HeatmapView&) = default;
};
[[nodiscard]] HeatmapView view_of(const HeatmapCamera& camera, TexelForm form);
// The same place, with texels of 2^coarser times as many cells each way; nothing that one tile of all cells would not show.
[[nodiscard]] HeatmapView coarser_view(const HeatmapView& view, const core::CellCounts& cells, int coarser);

// What is known of a view.
struct HeatmapKnown {
  std::int64_t tiles = 0, covered = 0, exact = 0;
  std::uint64_t texels = 0, exact_texels = 0;
  [[nodiscard]] bool is_covered() const { return covered == tiles; }
  [[nodiscard]] bool is_exact() const { return exact == tiles; }
};
[[nodiscard]] HeatmapKnown known_of(const HeatmapStore& store, const HeatmapView& view);

// What the heat map of a tensor's table is to be: the tensor, how it is seen, and how much is read without being asked for.
struct HeatmapSubject {
  std::uint32_t tensor = core::kNone32;
  const core::CellAxes* axes = nullptr;
  core::TensorValues values;     // its layout and dtype; nothing is read
  std::uint64_t most_exact = 0;  // a view with at most so many values to read becomes exact
  // Of A - B: what is subtracted, and how. Both tensors have one shape.
  std::optional<core::DifferenceKind> difference = {};
  core::TensorValues subtracted = {};
  [[nodiscard]] TexelForm form() const;
  // Values, or pairs of them, that a window of the table stands for.
  [[nodiscard]] core::WindowValues count(const core::CellWindow& window) const;
};
// The tiles to be worked out next, the most urgent first: something coarse of what is seen, then a sample of it, then all values where
// that is wished, then what lies around it. nullopt: nothing is missing, or it is on its way, or it failed.
[[nodiscard]] std::optional<HeatmapRequest> next_request(const HeatmapStore& store, const HeatmapCamera& camera,
                                                         const HeatmapSubject& subject);

}  // namespace dlscope::app
