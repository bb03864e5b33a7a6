// From numbers to colours in the heat map: the chosen range, its description, and the inks.
#pragma once

#include "app/panels/heatmap/heatmap_panel.h"

namespace dlscope::app {

// Of all values of the tensor, not only of what is drawn.
[[nodiscard]] constexpr bool is_of_all_values(RangeChoice range) {
  return range == RangeChoice::values || range == RangeChoice::value_percentile;
}
// The chosen colours, if this slice of the tensor can have them.
[[nodiscard]] ColourMap shown_map(const HeatmapPanelState& state, core::DType dtype);
// Sets state.range, and in state.drawn the range at this zoom.
void choose_heatmap_range(const FrameContext& context, HeatmapPanelState& state);
// Sets state.range_said; requests statistics that the range needs.
void say_heatmap_range(const FrameContext& context, HeatmapPanelState& state, Commands& commands);
[[nodiscard]] HeatmapPainter::Look heatmap_look(const FrameContext& context, const HeatmapPanelState& state,
                                                const core::TensorRecord& tensor);

}  // namespace dlscope::app
