// Two tensors side by side as windows of rows and columns: one camera for both, so that the same element stands at the same place.
#pragma once

#include "app/models/values/side_by_side.h"
#include "app/panels/frame_context.h"

namespace dlscope::app {

// Where the window stands, and what was read for it.
struct CompareGridState {
  std::uint64_t outer = 0;  // number of the matrix shown, in C order of the axes before the last two
  std::uint64_t row = 0, column = 0;
  float cell_width = 0;                // of the widest value met; 0: none yet
  std::optional<std::uint64_t> shown;  // in focus in the last frame: brought into view once
  std::vector<SideBySide> cells;       // read in the last frame
};

// A tensor of two axes at least and of one element at least.
void draw_compare_grid(const FrameContext& context, CompareGridState& state, const SideOfTwo& a, const SideOfTwo& b,
                       Commands& commands);

}  // namespace dlscope::app
