// Two tensors value by value: the verdict, the figures, and the values side by side around the focused element.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "app/models/actions/commands.h"
#include "app/models/values/comparison_text.h"
#include "app/models/values/side_by_side.h"
#include "app/panels/compare/compare_grid.h"
#include "app/panels/compare/comparison_pictures.h"
#include "app/panels/frame_context.h"

namespace dlscope::app {

struct ComparePanelState {
  core::Tolerance tolerance;
  bool wanted = false;     // requested by menu, key or palette, but not begun
  bool bring_up = false;   // to the front, with the next frame
  bool broadcast = false;  // of the last requested comparison

  // The request and its answer; whoever carries it out sets these between frames.
  std::uint64_t revision = 0;  // ComparedSides::revision of the pair
  std::uint64_t ticket = 0;  // rises with each request: only the last one's answer is used
  std::uint64_t task = 0;    // the task that works on it; 0: none
  std::string problem;  // why there is no answer; "": there is
  std::optional<core::Comparison> found;
  core::Tolerance asked_tolerance;
  Moment begun;  // when reading began
  bool own = true;  // the bytes were known to be the tensors' own then

  ComparisonText text;             // of `found`
  std::optional<bool> as_pictures;  // as chosen; by default pictures when there are too many values to look through
  ComparisonPicturesState pictures;
  std::string search_message;         // the state of the search for the next difference; set between frames
  std::uint64_t search_revision = 0, search_code_began = 0;  // that it is of: ComparedSides::revision, Moment::code_began
  bool as_list = false;            // show values of two and more axes as a list
  CompareGridState grid;
  std::uint64_t first_row = 0;     // element in the first line of the list
  std::uint64_t seen_element = 0;  // the focus of the last frame, brought into view once
  std::vector<SideBySide> rows;    // read in the last frame
  ComparedCells drawn;             // of the list or the grid, in the last frame
};

void draw_compare_panel(const FrameContext& context, ComparePanelState& state, Commands& commands);

}  // namespace dlscope::app
