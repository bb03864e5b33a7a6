// Run, Stop, Kill, Restart: the same four buttons wherever they are needed; those that make no sense now are grey.
#pragma once

#include "app/models/actions/commands.h"
#include "app/panels/frame_context.h"

namespace dlscope::app {

void draw_run_buttons(const FrameContext& context, Commands& commands);

}  // namespace dlscope::app
