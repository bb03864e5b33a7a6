// The output pane: what the script printed, newest at the bottom, and a line to type in: input for a script that runs,
// otherwise Python in the namespace the last run left.
#pragma once

#include <string>
#include <vector>

#include "app/models/commands.h"
#include "app/models/output_model.h"
#include "app/panels/frame_context.h"

namespace dlscope::app {

struct OutputPanelState {
  std::string input;
  std::vector<std::string> history;  // lines typed to Python, oldest first, bounded
  std::size_t history_at = 0;        // history.size(): the line being typed
  bool follow = true;                // stay at the newest line; scrolling up lets go
  std::uint64_t seen_revision = 0;
  int lines_drawn = 0;  // in the last frame, for tests
};

void draw_output_panel(const FrameContext& context, OutputPanelState& state, const OutputModel& output, Commands& commands);

}  // namespace dlscope::app
