// From keys to actions: which panel has the keyboard, which keys were pressed, what they ask for; and what every action does that
// is no panel's own.
#pragma once

#include "app/models/actions/actions.h"
#include "app/models/actions/commands.h"
#include "app/panels/frame_context.h"

namespace dlscope::app {

[[nodiscard]] ActionState action_state(const FrameContext& context, const ViewSwitches& show);

// The panel with the keyboard, and the one under the mouse; global for none.
[[nodiscard]] ActionContext keyboard_context();
[[nodiscard]] ActionContext mouse_context();
// "Tensors"; the program's name for global.
[[nodiscard]] const char* panel_title(ActionContext context);

// Adds what the keys of this frame ask for. Once per frame, outside any window.
// typing: a text field has the keyboard; keys that mean text are left to it.
void read_keys(const FrameContext& context, bool typing, AskedActions& asked);

// Drops what makes no sense now, pushes the commands of the others, shows and hides panels, and brings the panel of a panel's own
// action to the front, so that it can answer. After menus and keys, before the panels.
void perform(const FrameContext& context, AskedActions& asked, ViewSwitches& show, Commands& commands);

}  // namespace dlscope::app
