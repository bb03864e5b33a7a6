// The parts of the compare panel that say what is compared and what was found: the two tensors, the tolerance, the verdict and the
// figures. In a low panel all but the verdict move into a popup, so that the pictures are in view.
#pragma once

#include "app/panels/compare/compare_panel.h"

namespace dlscope::app {

void draw_compared_sides(const FrameContext& context, Commands& commands);
void draw_tolerance(const FrameContext& context, ComparePanelState& state);
// The sentence, how old it is, and a way to the first difference. Fills state.text. Nothing before there is a result.
void draw_verdict(const FrameContext& context, ComparePanelState& state, Commands& commands);
// The table of counts and errors; after draw_verdict().
void draw_figures(const FrameContext& context, const ComparePanelState& state, Commands& commands);
// The button for a popup with the tensors, the tolerance and the figures.
void draw_details_button(const FrameContext& context, ComparePanelState& state, Commands& commands);

// Pins this element of A.
void go_to_compared(const FrameContext& context, std::uint64_t element, Commands& commands);

}  // namespace dlscope::app
