// The sheet of all keys, made from the table of actions.
#pragma once

#include "app/models/actions/actions.h"
#include "app/panels/frame_context.h"

namespace dlscope::app {

// The keys of one view below its name; nothing when it has none. Call inside a window.
void draw_keys_of(const FrameContext& context, ActionContext where);

void draw_key_sheet(const FrameContext& context, ViewSwitches& show);

}  // namespace dlscope::app
