// How each panel is drawn: one row per panel. Everything else about panels is in app/models/panels/panel_facts.h.
#pragma once

#include "app/panels/workspace.h"

namespace dlscope::app {

// Draws the panels that are shown, in the order of panels(), which is the order of tabs in a shared place.
void draw_panels(const FrameContext& context, PanelStates& states, const PanelModels& models, Commands& commands);

}  // namespace dlscope::app
