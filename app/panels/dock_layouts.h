// The three arrangements of the panels, as docking.
#pragma once

#include <imgui.h>

#include "app/models/view_options.h"

namespace dlscope::app {

// Replaces what `dock` holds. Between NewFrame and the DockSpace() call of the same id.
void arrange_panels(LayoutPreset layout, ImGuiID dock, ImVec2 size);

}  // namespace dlscope::app
