// The inspector: one tensor, field by field, with plain words beside the numbers.
#pragma once

#include "app/models/commands.h"
#include "app/models/inspector_model.h"
#include "app/panels/frame_context.h"

namespace dlscope::app {

struct InspectorState {
  bool show_meanings = true;  // plain words beside the fields; otherwise they are tooltips
};

// inspection: null when nothing is selected.
void draw_inspector_panel(const FrameContext& context, InspectorState& state, const Inspection* inspection, Commands& commands);

}  // namespace dlscope::app
