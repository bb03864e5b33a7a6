// Find in the output: a field above its lines. Enter selects the next line's match, Shift+Enter the one before, Escape closes it.
#pragma once

#include <optional>
#include <string>

#include "app/models/script/output_model.h"
#include "app/panels/frame_context.h"

namespace dlscope::app {

struct OutputPanelState;

struct OutputFind {
  bool open = false, take_keyboard = false;
  std::string pattern, said;            // said: "3 of 17 matches"
  std::optional<std::size_t> shown_line;  // that is to come into view
};

// Call within the panel, before the lines are drawn.
void draw_output_find(const FrameContext& context, OutputPanelState& state, const OutputModel& output);

}  // namespace dlscope::app
