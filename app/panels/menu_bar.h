// The menu bar with the actions that have a place in it, and the run state at its right end.
#pragma once

#include "app/models/actions/actions.h"
#include "app/panels/frame_context.h"

namespace dlscope::app {

struct MenuBarState {
  ViewSwitches show;
};

// A click on an item asks for its action; one on a file of "Open Recent" opens it.
void draw_menu_bar(const FrameContext& context, const MenuBarState& state, AskedActions& asked, Commands& commands);

}  // namespace dlscope::app
