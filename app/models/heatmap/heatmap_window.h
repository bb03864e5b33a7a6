// Which part of a tensor's cells a heat map asks for, how finely, and whether a picture that is there already will do.
#pragma once

#include "app/models/heatmap/heatmap_store.h"
#include "app/models/layout/axis_view.h"

namespace dlscope::app {

struct HeatmapCamera {
  AxisView rows, columns;
  AxisLimits row_limits, column_limits;
};

// The cells that are seen, as a window of the table with steps of 1.
[[nodiscard]] core::CellWindow seen_cells(const HeatmapCamera& camera);
// What is seen and some more around it, in texels that are not smaller than a pixel and not too many. The texels of one zoom lie at the
// same cells wherever the camera looks.
[[nodiscard]] core::CellWindow wanted_window(const HeatmapCamera& camera);
// The picture shows all that is seen, as finely as `wanted` would.
[[nodiscard]] bool serves(const core::CellWindow& picture, const core::CellWindow& wanted, const core::CellWindow& seen);

}  // namespace dlscope::app
