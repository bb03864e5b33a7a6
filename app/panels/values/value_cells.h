// The table of numbers in the values view: headers, cells, scrolling, zoom, mouse and keys. The cost depends on the visible
// cells.
#pragma once

#include "app/panels/values/values_panel.h"

namespace dlscope::app {

// Fills the rest of the window except for `below` pixels.
void draw_value_cells(const FrameContext& context, ValuesPanelState& state, const ValueGrid& grid, float below,
                      Commands& commands);

// The context menu of the cell it was opened on.
void draw_value_menu(const FrameContext& context, ValuesPanelState& state, const ValueGrid& grid, Commands& commands);

// Requests a copy of the cells in `range` in that format.
void ask_copy(const FrameContext& context, ValuesPanelState& state, CopyFormat format, CellRange range, Commands& commands);

}  // namespace dlscope::app
