// From keys to actions: which panel has the keyboard, which keys were pressed, which actions they ask for. Also performs the
// actions that do not belong to a panel.
#pragma once

#include "app/models/actions/actions.h"
#include "app/models/actions/commands.h"
#include "app/panels/frame_context.h"

namespace dlscope::app {

[[nodiscard]] ActionState action_state(const FrameContext& context, const ViewSwitches& show);

// The panel with the keyboard, and the one under the mouse; global for none.
[[nodiscard]] ActionContext keyboard_context();
[[nodiscard]] ActionContext mouse_context();
// "Tensors"; for global the program's name.
[[nodiscard]] const char* panel_title(ActionContext context);

// Adds the actions that this frame's keys ask for. Call once per frame, outside of any window. typing: a text field has the
// keyboard, so keys that type text are left to it.
void read_keys(const FrameContext& context, bool typing, AskedActions& asked);

// Drops actions that are not possible now, pushes the commands of the others, shows and hides panels, and brings a panel to the
// front when one of its own actions was asked for. Call after menus and keys, before the panels.
void perform(const FrameContext& context, AskedActions& asked, ViewSwitches& show, Commands& commands);

}  // namespace dlscope::app
