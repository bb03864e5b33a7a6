// What happened in this session, oldest first: runs, scans, notices (also dismissed ones), and what the script's process noted.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "app/models/actions/notices.h"
#include "app/panels/frame_context.h"

namespace dlscope::app {

struct LogPanelState {
  std::string filter;
  std::uint64_t seen = 0;  // Notices::logged_count() in the last frame: new ones are scrolled to
  float end = 0;           // the lowest scroll position then
  // What the filter leaves, as of that count.
  std::vector<const LoggedEvent*> rows;
  std::string rows_filter;
};

void draw_log_panel(const FrameContext& context, LogPanelState& state, const Notices& notices, Commands& commands);

}  // namespace dlscope::app
