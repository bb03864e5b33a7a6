// The texts of the layout view: a line per axis, the verdict on C and F order, the address formula of the focused element.
#pragma once

#include "app/panels/layout/layout_focus.h"
#include "app/panels/layout/layout_panel.h"

namespace dlscope::app {

// At most `room` pixels high; it scrolls when there is more.
void draw_axis_lines(const FrameContext& context, const LayoutPanelState& state, float room, Commands& commands);
// For the focused element, else element [0,...,0]. labels: write the name of every term below it.
void draw_address_line(const FrameContext& context, const LayoutPanelState& state, const LayoutFocus& focus, bool labels,
                       Commands& commands);

}  // namespace dlscope::app
