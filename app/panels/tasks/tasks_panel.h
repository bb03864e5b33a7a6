// Long work, newest first: running tasks with progress, rate, time left and Cancel; then ended ones with their outcome.
#pragma once

#include "app/models/actions/commands.h"
#include "app/panels/frame_context.h"

namespace dlscope::app {

void draw_tasks_panel(const FrameContext& context, Commands& commands);

// For the status bar: the longest-running task, with Cancel. Returns its width; 0: there is none worth showing.
[[nodiscard]] float task_line_width(const FrameContext& context);
void draw_task_line(const FrameContext& context, Commands& commands);

}  // namespace dlscope::app
