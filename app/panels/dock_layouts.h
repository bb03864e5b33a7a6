// The three arrangements of the panels, as docking.
#pragma once

#include <imgui.h>

#include "app/models/view_options.h"

namespace dlscope::app {

// Replaces what `dock` holds. Between NewFrame and the DockSpace() call of the same id.
void arrange_panels(LayoutPreset layout, ImGuiID dock, ImVec2 size);

// Where several panels share a place: which of them is in front. Once the panels were drawn in the new arrangement: a window
// that appears puts itself in front.
void bring_to_front(LayoutPreset layout);

}  // namespace dlscope::app
