// The controls above a heat map: the tensor, the roles of its axes, how numbers become colours.
#pragma once

#include "app/panels/heatmap/heatmap_panel.h"

namespace dlscope::app {

void draw_heatmap_head(const FrameContext& context, HeatmapPanelState& state, const core::TensorRecord& tensor,
                       Commands& commands);

}  // namespace dlscope::app
