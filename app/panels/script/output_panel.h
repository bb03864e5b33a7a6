// The output pane: what the script printed, newest at the bottom, and an input line: for a running script its input, otherwise
// Python in the namespace of the last run.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/models/actions/commands.h"
#include "app/models/script/output_model.h"
#include "app/models/script/output_rows.h"
#include "app/panels/frame_context.h"
#include "app/panels/script/console_input.h"
#include "app/panels/script/output_find.h"

namespace dlscope::app {

struct OutputPanelState {
  ConsoleInputState console;
  OutputFind find;
  bool follow = true;  // stay at the newest line; scrolling up ends that
  bool wrap = true;    // lines that are too long for the panel go on in the next row
  OutputRows rows;
  std::vector<std::size_t> row_starts;  // of the line that is drawn
  std::uint64_t seen_revision = 0, seen_dropped_rows = 0;
  std::optional<OutputPlace> selected_from, selected_to;  // selected with the mouse
  bool selecting = false;                                 // the mouse button is down
  std::vector<ImU32> inks, grounds;                       // colours of OutputModel::styles()
  ThemeChoice inks_of = ThemeChoice::dark;
  int lines_drawn = 0;  // rows, in the last frame; for tests
};

void draw_output_panel(const FrameContext& context, OutputPanelState& state, const OutputModel& output, Commands& commands);

}  // namespace dlscope::app
