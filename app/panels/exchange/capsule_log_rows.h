// The rows of the log of capsules: a table where all of its columns have room, else two lines for each event.
#pragma once

#include <vector>

#include "app/models/exchange/capsule_life.h"
#include "app/panels/frame_context.h"

namespace dlscope::app {

void draw_log_rows(const FrameContext& context, const std::vector<CapsuleLogRow>& rows);

}  // namespace dlscope::app
