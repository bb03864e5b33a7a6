// The help card: what F1 says about the thing under the mouse. Beside the work, never modal.
#pragma once

#include <string>

#include <imgui.h>

#include "app/models/actions/actions.h"
#include "app/panels/frame_context.h"

namespace dlscope::app {

struct HelpCardState {
  bool open = false;
  ActionContext about = ActionContext::global;
  std::string item;  // what the tooltip of the item under the mouse says; "": there was none
  ImVec2 at;         // where the mouse was
};

// After the panels: they say what the item under the mouse means.
void draw_help_card(const FrameContext& context, HelpCardState& state);

}  // namespace dlscope::app
