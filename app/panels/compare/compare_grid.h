// Two tensors side by side as windows of rows and columns, scrolled together, so that the same element is at the same place in
// both.
#pragma once

#include "app/models/values/side_by_side.h"
#include "app/panels/frame_context.h"

namespace dlscope::app {

// The position of the window, and what was read for it.
struct CompareGridState {
  std::uint64_t outer = 0;  // the shown matrix: its number, in C order of the axes before the last two
  std::uint64_t row = 0, column = 0;
  float cell_width = 0;                // fits the widest value so far; 0: none yet
  std::optional<std::uint64_t> shown;  // the focus of the last frame, brought into view once
  std::vector<SideBySide> cells;       // read in the last frame
};

// Both tensors must have at least two axes and one element.
void draw_compare_grid(const FrameContext& context, CompareGridState& state, const SideOfTwo& a, const SideOfTwo& b,
                       Commands& commands);

}  // namespace dlscope::app
