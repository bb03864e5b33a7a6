// The lines below a heat map: the meaning of its colours, how much was read, and a button to read more.
#pragma once

#include "app/panels/heatmap/heatmap_panel.h"

namespace dlscope::app {

[[nodiscard]] float heatmap_legend_height();
void draw_heatmap_legend(const FrameContext& context, HeatmapPanelState& state, const core::TensorRecord& tensor,
                         Commands& commands);

// The subject of the heat map, for next_request().
[[nodiscard]] HeatmapSubject heatmap_subject(const FrameContext& context, const HeatmapPanelState& state,
                                             const core::TensorRecord& tensor);
// The colour of pixels that stand for several categories.
[[nodiscard]] std::uint32_t several_ink();
// How the tensor's numbers are coloured.
[[nodiscard]] const ColourTable& heatmap_table(const HeatmapPanelState& state);

}  // namespace dlscope::app
