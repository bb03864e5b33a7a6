// The words of the layout view: a line per axis, the verdict for C and F order, the address formula of the focused element.
#pragma once

#include "app/panels/layout/layout_focus.h"
#include "app/panels/layout/layout_panel.h"

namespace dlscope::app {

// At most `room` pixels high; more is scrolled to.
void draw_axis_lines(const FrameContext& context, const LayoutPanelState& state, float room, Commands& commands);
// Of the focused element, else of element [0,...,0]. `labels`: the name of every term below it.
void draw_address_line(const FrameContext& context, const LayoutPanelState& state, const LayoutFocus& focus, bool labels,
                       Commands& commands);

}  // namespace dlscope::app
