// What the table shows before there are tensors: what can be done now, and which Python would run it.
#pragma once

#include "app/models/actions/commands.h"
#include "app/panels/frame_context.h"

namespace dlscope::app {

void draw_empty_state(const FrameContext& context, Commands& commands);

}  // namespace dlscope::app
