// How each panel is drawn: one row a panel, beside what else is known of it (app/models/panels/panel_facts.h).
#pragma once

#include "app/panels/workspace.h"

namespace dlscope::app {

// Those that are shown, in the order of panels(): tabs stand in this order where panels share a place.
void draw_panels(const FrameContext& context, PanelStates& states, const PanelModels& models, Commands& commands);

}  // namespace dlscope::app
