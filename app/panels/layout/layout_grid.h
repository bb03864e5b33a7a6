// The logical grid of the layout view: the elements by their indices, coloured by their place in memory.
#pragma once

#include "app/panels/layout/layout_focus.h"
#include "app/panels/layout/layout_panel.h"

namespace dlscope::app {

// Fills `size` from the cursor on. Wheel zooms at the cursor, drag pans, F fits, 0 is 1:1, a double click zooms to a cell.
void draw_layout_grid(const FrameContext& context, LayoutPanelState& state, const LayoutFocus& focus, ImVec2 size,
                      Commands& commands);

// Height of the grid at which every row is readable.
[[nodiscard]] float natural_grid_height(const FrameContext& context, const LayoutPanelState& state);

}  // namespace dlscope::app
