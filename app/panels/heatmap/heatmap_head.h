// The controls above a heat map: the tensor, the roles of its axes, how numbers become colours.
#pragma once

#include "app/panels/heatmap/heatmap_panel.h"

namespace dlscope::app {

// Of tensors that are read in a moment the counts in the head are found without being asked for, as a picture alone does not say how
// many; once the picture is there, which goes first.
void ask_heatmap_counts(const FrameContext& context, const HeatmapPanelState& state, const core::TensorRecord& tensor,
                        Commands& commands);
void draw_heatmap_head(const FrameContext& context, HeatmapPanelState& state, const core::TensorRecord& tensor,
                       Commands& commands);

}  // namespace dlscope::app
