// The choice of a field of the selected tensor, for the views that show its values: the values, the statistics and the heat map.
#pragma once

#include "app/models/actions/commands.h"
#include "app/panels/frame_context.h"

namespace dlscope::app {

// A list of the fields of the selected tensor's elements, on the current line; nothing where they have none.
void draw_field_choice(const FrameContext& context, Commands& commands);
// 0: there is none to draw.
[[nodiscard]] float field_choice_width(const FrameContext& context);

}  // namespace dlscope::app
