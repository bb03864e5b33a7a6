// The table of numbers in the values view: headers, cells, scrolling, zoom, the mouse and the keys in it. What a frame costs
// is what is visible.
#pragma once

#include "app/panels/values/values_panel.h"

namespace dlscope::app {

// Fills the rest of the window, but for `below` pixels.
void draw_value_cells(const FrameContext& context, ValuesPanelState& state, const ValueGrid& grid, float below,
                      Commands& commands);

// What the context menu offers for the cell it was opened on.
void draw_value_menu(const FrameContext& context, ValuesPanelState& state, const ValueGrid& grid, Commands& commands);

// Asks for the selected cells, else what is visible, in that form.
void ask_copy(const FrameContext& context, ValuesPanelState& state, CopyFormat format, CellRange range, Commands& commands);

}  // namespace dlscope::app
