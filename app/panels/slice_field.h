// The field for a slice of the selected tensor, "[1:3, ::2]": what the views show of it, and what copies, hand-overs and exports
// take.
#pragma once

#include <string>

#include "app/models/actions/commands.h"
#include "app/panels/frame_context.h"

namespace dlscope::app {

// One line; what is wrong with the text is said below it. Draws nothing for a scalar.
void draw_slice_field(const FrameContext& context, Commands& commands);
[[nodiscard]] float slice_field_height(const FrameContext& context);

// What a menu or a button says it works on: "[1:3, ::2]"; "" where nothing is chosen.
[[nodiscard]] std::string slice_in_brackets(const FrameContext& context);

}  // namespace dlscope::app
