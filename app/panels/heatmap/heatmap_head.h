// What stands above a heat map: whose it is, which axes run where, how numbers become colours.
#pragma once

#include "app/panels/heatmap/heatmap_panel.h"

namespace dlscope::app {

void draw_heatmap_head(const FrameContext& context, HeatmapPanelState& state, const core::TensorRecord& tensor);

}  // namespace dlscope::app
