// What stands below a heat map: what its colours mean, what it was computed on, and a way to read more.
#pragma once

#include "app/panels/heatmap/heatmap_panel.h"

namespace dlscope::app {

[[nodiscard]] float heatmap_legend_height();
void draw_heatmap_legend(const FrameContext& context, HeatmapPanelState& state, const core::TensorRecord& tensor,
                         Commands& commands);

// What the heat map of the tensor is to be, as the planner of its tiles asks it.
[[nodiscard]] HeatmapSubject heatmap_subject(const FrameContext& context, const HeatmapPanelState& state,
                                             const core::TensorRecord& tensor);
// How the tensor's numbers are coloured.
[[nodiscard]] const ColourTable& heatmap_table(const HeatmapPanelState& state, const core::TensorRecord& tensor);

}  // namespace dlscope::app
