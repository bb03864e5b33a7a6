// Long work, newest first: what runs, how far, how fast, how long it may take, Cancel; then what has ended, and how.
#pragma once

#include "app/models/actions/commands.h"
#include "app/panels/frame_context.h"

namespace dlscope::app {

void draw_tasks_panel(const FrameContext& context, Commands& commands);

// For the status bar: the task that has run longest, with Cancel. Its width; 0: nothing runs that is worth naming.
[[nodiscard]] float task_line_width(const FrameContext& context);
void draw_task_line(const FrameContext& context, Commands& commands);

}  // namespace dlscope::app
