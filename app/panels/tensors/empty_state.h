// What stands where tensors will be, before there are any: what can be done now, and which Python would do it.
#pragma once

#include "app/models/actions/commands.h"
#include "app/panels/frame_context.h"

namespace dlscope::app {

void draw_empty_state(const FrameContext& context, Commands& commands);

}  // namespace dlscope::app
