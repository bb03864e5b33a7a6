// The sharing list: every pair of tensors whose memory meets, with the verdict, how it was reached, and the lowest
// common byte.
#pragma once

#include "app/models/commands.h"
#include "app/panels/frame_context.h"

namespace dlscope::app {

struct SharingPanelState {
  int rows_drawn = 0;  // in the last frame, for tests
};

void draw_sharing_panel(const FrameContext& context, SharingPanelState& state, Commands& commands);

}  // namespace dlscope::app
