// The status bar: what the mouse or the selection is on, in one sentence; counts; copies dlscope made.
#pragma once

#include "app/models/commands.h"
#include "app/models/notices.h"
#include "app/panels/frame_context.h"

namespace dlscope::app {

void draw_status_bar(const FrameContext& context);

// Notices in the lower right corner, above the status bar; each goes away with a click.
void draw_notices(const FrameContext& context, const Notices& notices, Commands& commands);

}  // namespace dlscope::app
