// Two tensors side by side as windows of rows and columns, scrolled together, so that the same element is at the same place in
// both.
#pragma once

#include <imgui.h>

#include "app/models/values/side_by_side.h"
#include "app/panels/frame_context.h"

namespace dlscope::app {

// What the last frame said of the values side by side; for tests.
struct ComparedCells {
  int hatched = 0;  // cells with bytes that may be another's
  int marked = 0;   // cells marked as different
};

// A value for a tooltip: "2.5", "2.5 (present bytes, not compared)".
[[nodiscard]] std::string compared_text(const GridCell& cell, bool own);
// Hatches an item that shows bytes which may be another's, below their text.
void hatch_present_bytes(const FrameContext& context, ImVec2 from, ImVec2 to);

// The position of the window, and what was read for it.
struct CompareGridState {
  std::uint64_t outer = 0;  // the shown matrix: its number, in C order of the axes before the last two
  std::uint64_t row = 0, column = 0;
  float cell_width = 0;                // fits the widest value so far; 0: none yet
  std::optional<std::uint64_t> shown;  // the focus of the last frame, brought into view once
  std::vector<SideBySide> cells;       // read in the last frame
};

// Both tensors must have at least two axes and one element.
void draw_compare_grid(const FrameContext& context, CompareGridState& state, ComparedCells& drawn, const SideOfTwo& a,
                       const SideOfTwo& b, Commands& commands);

}  // namespace dlscope::app
