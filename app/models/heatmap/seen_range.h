// The range of the numbers that a heat map shows at its present place and zoom: what its colours are spread over. No I/O.
// thread: one; the cost depends on the texels of the view.
#pragma once

#include "app/models/heatmap/heatmap_window.h"

namespace dlscope::app {

// The range of the cells in `seen` only.
[[nodiscard]] NumberRange range_of(const HeatmapStore& store, const HeatmapView& view, const core::CellWindow& seen,
                                   TexelNumber number);
// The range that leaves the part `low` of the seen texels below it and the part 1 - `high` above it.
[[nodiscard]] NumberRange percentile_range(const HeatmapStore& store, const HeatmapView& view, const core::CellWindow& seen,
                                           TexelNumber number, double low, double high);

}  // namespace dlscope::app
