// From numbers to colours in the heat map: the range that was chosen, what it is said to be, and the inks.
#pragma once

#include "app/panels/heatmap/heatmap_panel.h"

namespace dlscope::app {

// Of all values of the tensor, not of what is drawn.
[[nodiscard]] constexpr bool is_of_all_values(RangeChoice range) {
  return range == RangeChoice::values || range == RangeChoice::value_percentile;
}
// Into state.range, and what is drawn at this zoom into state.drawn.
void choose_heatmap_range(const FrameContext& context, HeatmapPanelState& state, const core::TensorRecord& tensor);
// Into state.range_said. Statistics that nobody has asked for yet are asked for.
void say_heatmap_range(const FrameContext& context, HeatmapPanelState& state, Commands& commands);
[[nodiscard]] HeatmapPainter::Look heatmap_look(const FrameContext& context, const HeatmapPanelState& state,
                                                const core::TensorRecord& tensor);

}  // namespace dlscope::app
