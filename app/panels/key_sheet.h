// The sheet of all keys, made from the table of actions.
#pragma once

#include "app/models/actions.h"
#include "app/panels/frame_context.h"

namespace dlscope::app {

void draw_key_sheet(const FrameContext& context, ViewSwitches& show);

}  // namespace dlscope::app
