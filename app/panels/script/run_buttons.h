// The buttons Run, Stop, Kill and Restart for every place that needs them; those that are not possible now are grey.
#pragma once

#include "app/models/actions/commands.h"
#include "app/panels/frame_context.h"

namespace dlscope::app {

void draw_run_buttons(const FrameContext& context, Commands& commands);

}  // namespace dlscope::app
