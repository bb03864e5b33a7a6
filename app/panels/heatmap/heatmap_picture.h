// The picture of a heat map: texels as pixels, panned and zoomed with the mouse; numbers where cells have room; the focus.
#pragma once

#include "app/panels/heatmap/heatmap_panel.h"

namespace dlscope::app {

void draw_heatmap_picture(const FrameContext& context, HeatmapPanelState& state, const core::TensorRecord& tensor, ImVec2 size,
                          Commands& commands);

}  // namespace dlscope::app
