// The head of the compare view: what the selected tensor is compared with. Another tensor, itself at an earlier moment, or a tensor
// of a file.
#pragma once

#include "app/models/actions/commands.h"
#include "app/panels/frame_context.h"

namespace dlscope::app {

void draw_compared_with(const FrameContext& context, Commands& commands);
// Says why there is no B where a file is chosen.
void draw_no_counterpart(const FrameContext& context);

}  // namespace dlscope::app
