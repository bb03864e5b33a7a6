// The values of the selected tensor, read from the script's memory for the cells on screen, each time they are drawn.
// Any rank: two axes are rows and columns, the others have a slider. Positions are 64 bits wide.
#pragma once

#include <string>
#include <vector>

#include "app/models/commands.h"
#include "app/models/value_grid.h"
#include "app/panels/frame_context.h"

namespace dlscope::app {

struct ValuesPanelState {
  const core::Snapshot* snapshot = nullptr;  // which tensor the mapping and position belong to
  std::uint32_t tensor = core::kNone32;
  std::string name;
  AxisMapping mapping;
  std::uint64_t first_row = 0, first_column = 0;
  std::vector<GridCell> cells;  // of the last frame, row by row
  GridWindow window;
};

void draw_values_panel(const FrameContext& context, ValuesPanelState& state, Commands& commands);

}  // namespace dlscope::app
