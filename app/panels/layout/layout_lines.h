// The texts of the layout view: a line per axis, the verdict on C and F order, the address formula of the focused element.
#pragma once

#include "app/panels/layout/layout_focus.h"
#include "app/panels/layout/layout_panel.h"

namespace dlscope::app {

// At most `room` pixels high; it scrolls when there is more.
void draw_axis_lines(const FrameContext& context, const LayoutPanelState& state, float room, Commands& commands);
// The lines that the address formula needs in a room so wide, whichever element it is of: it must not move what is below it.
[[nodiscard]] const FormulaLines& formula_lines(const FrameContext& context, LayoutPanelState& state, float width);
// For the focused element, else element [0,...,0], on at most so many lines. labels: write the name of every term below it.
void draw_address_formula(const FrameContext& context, LayoutPanelState& state, const LayoutFocus& focus, bool labels, int lines,
                          Commands& commands);

}  // namespace dlscope::app
