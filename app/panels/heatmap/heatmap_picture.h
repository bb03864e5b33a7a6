// The picture of a heat map: texels as pixels, moved and zoomed with the mouse; numbers where a cell has room for one; the one focus.
#pragma once

#include "app/panels/heatmap/heatmap_panel.h"

namespace dlscope::app {

void draw_heatmap_picture(const FrameContext& context, HeatmapPanelState& state, const core::TensorRecord& tensor, ImVec2 size,
                          Commands& commands);

}  // namespace dlscope::app
