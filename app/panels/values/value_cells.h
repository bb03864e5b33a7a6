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

// The value of an element as it is shown, kept or present; nullopt: it is not known.
[[nodiscard]] std::optional<GridCell> shown_value(const FrameContext& context, const ValuesPanelState& state,
                                                  const ValueGrid& grid, std::uint64_t element);

// Work on the cells in `range` as they are shown: on the kept ones while these are.
[[nodiscard]] ValueTask task_on_cells(const FrameContext& context, const ValuesPanelState& state, ValueTaskKind kind,
                                      CellRange range);

// Requests a copy of the cells in `range` in that format.
void ask_copy(const FrameContext& context, ValuesPanelState& state, CopyFormat format, CellRange range, Commands& commands);

}  // namespace dlscope::app
