// The events of this session, oldest first: runs, scans, notices (also dismissed ones).
#pragma once

#include <cstddef>

#include "app/models/actions/notices.h"
#include "app/panels/frame_context.h"

namespace dlscope::app {

struct LogPanelState {
  std::size_t seen = 0;  // number of events in the last frame: new ones are scrolled to
};

void draw_log_panel(const FrameContext& context, LogPanelState& state, const Notices& notices);

}  // namespace dlscope::app
