// Draws the focus the same way in every view: a frame where the mouse is, a double ring with a pin where a click pinned it.
#pragma once

#include <imgui.h>

#include "app/models/focus/focus.h"
#include "app/widgets/theme.h"

namespace dlscope::app {

// Fills behind a cell's text. Nothing for FocusMark::none.
void fill_focus(ImDrawList* list, ImVec2 from, ImVec2 to, const Theme& theme, FocusMark mark);
// Outlines the cell. scale: of the interface, 1 = 100 %.
void outline_focus(ImDrawList* list, ImVec2 from, ImVec2 to, const Theme& theme, FocusMark mark, float scale);
// The pin alone, its point at `tip`.
void draw_pin(ImDrawList* list, ImVec2 tip, const Theme& theme, float scale);

}  // namespace dlscope::app
