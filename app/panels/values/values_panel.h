// The values of the selected tensor, read from the script's memory for the cells on screen, each time they are drawn.
// Any rank: two axes are rows and columns, the others have a slider. Positions are 64 bits wide.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/models/actions/commands.h"
#include "app/models/values/kept_values.h"
#include "app/models/values/special_walk.h"
#include "app/models/values/value_changes.h"
#include "app/models/values/value_grid.h"
#include "app/models/values/value_task.h"
#include "app/panels/frame_context.h"

namespace dlscope::app {

inline constexpr float kLeastValueZoom = 0.6F, kMostValueZoom = 3.0F;

// What the bytes of the last frame were read as.
struct ShownView {
  core::Address address = 0;
  core::DType dtype;
  std::vector<std::int64_t> dims;  // shape, strides
  friend bool operator==(const ShownView&, const ShownView&) = default;
};

// How much of the head there is room for: with fewer lines of sliders, as one line with a popup, not at all.
enum class HeadForm : std::uint8_t { full, short_sliders, line, none };

// How a vector lies on the screen.
enum class VectorForm : std::uint8_t { wrapped, row, column };

struct ValuesPanelState {
  std::uint64_t generation = 0;  // with `tensor`: which tensor the mapping and position belong to
  std::uint32_t tensor = core::kNone32;
  std::string name;
  ShownView view;
  AxisMapping mapping, seen_mapping;
  VectorForm vector_form = VectorForm::wrapped;
  std::optional<ValueGrid> grid;  // of snapshot, tensor and mapping
  std::uint64_t first_row = 0, first_column = 0;
  NumberFormat format;
  float zoom = 1;           // of the cells, on top of the interface's scale
  std::size_t widest = 0;   // characters of the widest value seen: columns grow, they do not jump
  double redraw_until = 0;  // something is fading until then
  int next_frame_in = 0;    // milliseconds; 0: no frame is needed by itself

  // What was read in the last frame, row by row, and what is written there.
  CellBytes fetched, before;
  bool own = true;     // those bytes were the tensor's own
  CellBytes last_own;  // while they are not: the last that were, to compare with when they are again
  KeptValues kept;         // of this snapshot's tensors, while their bytes were their own
  KeptValuesOfMoments kept_before;                       // the same of other looks, for when one looks back at them
  std::uint64_t kept_generation = 0, kept_moment = 0;    // of `kept`; the moment: its number in the history, 0: none
  bool shows_now = false;  // where they may be another's: what lies there now instead of what was kept
  std::vector<GridCell> cells;
  GridWindow window;
  ImVec2 cells_from, cell_size;     // where the first cell lies on the screen
  std::uint64_t rows_seen = 0;      // whole rows on the screen
  std::uint64_t axis_cells = 0;     // lit because their axis is pointed at
  std::uint64_t cells_read = 0;     // in the last frame
  std::uint64_t cells_written = 0;  // in the last frame: only what changed is written anew
  ChangedCells changes;
  std::uint64_t runs_seen = 0;

  Focus seen_pin;                  // brought into view once
  std::optional<CellRange> range;  // selected cells
  bool dragging = false;
  CellPlace menu_cell;              // what the context menu was opened on
  std::optional<CellRange> sum_of;  // asked for, or answered in `sum`
  CellRange sum_asked;              // the same, as it was asked: without a wrap
  std::string sum;
  CopyFormat copy_format = CopyFormat::python;  // of the last copy

  HeadForm head = HeadForm::full;
  bool show_as_open = false;  // the popup that stands for a folded head is asked for
  bool go_to_open = false, go_to_focus = false;
  std::string go_to_text, go_to_problem;

  SpecialWalk walk;                  // from one special value to the next
  std::string said;                  // what came of a walk or a copy
  std::vector<ValueAnswer> answers;  // put here between frames
};

void draw_values_panel(const FrameContext& context, ValuesPanelState& state, Commands& commands);

}  // namespace dlscope::app
