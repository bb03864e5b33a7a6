// The printed lines themselves: drawn in their colours, selected with the mouse, their links clicked.
#pragma once

#include "app/models/actions/commands.h"
#include "app/models/script/output_model.h"
#include "app/panels/frame_context.h"

namespace dlscope::app {

struct OutputPanelState;

// With the scrolling child window current.
void draw_output_lines(const FrameContext& context, OutputPanelState& state, const OutputModel& output, Commands& commands);
[[nodiscard]] bool has_selection(const OutputPanelState& state);

}  // namespace dlscope::app
