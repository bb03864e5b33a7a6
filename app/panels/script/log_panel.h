// What happened in this session, oldest first: runs, looks at the tensors, notices also after they were dismissed.
#pragma once

#include <cstddef>

#include "app/models/actions/notices.h"
#include "app/panels/frame_context.h"

namespace dlscope::app {

struct LogPanelState {
  std::size_t seen = 0;  // events at the last frame: a new one is scrolled to
};

void draw_log_panel(const FrameContext& context, LogPanelState& state, const Notices& notices);

}  // namespace dlscope::app
