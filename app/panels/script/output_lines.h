// The lines of the output: drawing in their colours, selecting with the mouse, clicking links.
#pragma once

#include "app/models/actions/commands.h"
#include "app/models/script/output_model.h"
#include "app/panels/frame_context.h"

namespace dlscope::app {

struct OutputPanelState;

// Call with the scrolling child window current.
void draw_output_lines(const FrameContext& context, OutputPanelState& state, const OutputModel& output, Commands& commands);
[[nodiscard]] bool has_selection(const OutputPanelState& state);

}  // namespace dlscope::app
