// Two tensors value by value: the verdict, the figures, and the values themselves side by side round the element in focus.
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
  bool wanted = false;     // asked for by menu, key or palette, and not begun yet
  bool bring_up = false;   // with the next frame
  bool broadcast = false;  // of the last comparison that was asked for

  // What was asked, and what came of it. Put here between frames by whoever carries it out.
  std::uint64_t revision = 0;  // of the pair, as ComparedSides has it
  std::uint64_t ticket = 0;  // rises with each question: an answer is for the last one
  std::uint64_t task = 0;    // works on it, in the list of tasks; 0: none
  std::string problem;  // why there is no answer
  std::optional<core::Comparison> found;
  core::Tolerance asked_tolerance;
  Moment begun;  // when reading began
  bool own = true;  // what was read then was known to be the tensors' own

  ComparisonText text;             // of `found`
  std::optional<bool> as_pictures;  // as chosen; until then where there are more values than can be looked through
  ComparisonPicturesState pictures;
  std::string search_said;         // of the search for the next difference; put here between frames
  bool as_list = false;            // values of two axes and more as a list, too
  CompareGridState grid;
  std::uint64_t first_row = 0;     // element at the top of the list
  std::uint64_t seen_element = 0;  // in focus in the last frame: brought into view once
  std::vector<SideBySide> rows;    // read in the last frame
};

void draw_compare_panel(const FrameContext& context, ComparePanelState& state, Commands& commands);

}  // namespace dlscope::app
