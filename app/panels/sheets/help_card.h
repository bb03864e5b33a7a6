// The help card: the F1 text about the thing under the mouse. Shown beside the work, not modal.
#pragma once

#include <string>

#include <imgui.h>

#include "app/models/actions/actions.h"
#include "app/panels/frame_context.h"

namespace dlscope::app {

struct HelpCardState {
  bool open = false;
  ActionContext about = ActionContext::global;
  std::string item;  // tooltip of the item under the mouse; "": none
  ImVec2 at;         // position of the mouse then
  int placing = 0;   // frames in which it is still moved: its size is known only after it was drawn
};

// Call after the panels, which set the tooltip of the item under the mouse.
void draw_help_card(const FrameContext& context, HelpCardState& state);

}  // namespace dlscope::app
