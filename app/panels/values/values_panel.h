// The values of the selected tensor: in each frame the visible cells are read from the script's memory. For any rank: two axes
// are rows and columns, the others have a slider. 64-bit positions.
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

inline constexpr float kMinValueZoom = 0.6F, kMaxValueZoom = 3.0F;

// How the bytes of the last frame were interpreted.
struct ShownView {
  core::Address address = 0;
  core::DType dtype;
  std::vector<std::int64_t> dims;  // shape, strides, and what else says how the bytes are read
  friend bool operator==(const ShownView&, const ShownView&) = default;
};

// The forms of the head, by room: with all sliders, with few, as one line with a popup, none.
enum class HeadForm : std::uint8_t { full, short_sliders, line, none };

// How a vector is laid out.
enum class VectorForm : std::uint8_t { wrapped, row, column };

// What a sum is of: the selected cells, and the bytes that were in them. Of running code the bytes of this second.
struct SummedCells {
  CellRange range;
  std::uint64_t generation = 0;
  Moment moment = {};
  bool kept = false, as_stored = false;
  std::uint64_t changes_seen = 0, second = 0;
  friend bool operator==(const SummedCells&, const SummedCells&) = default;
};

struct ValuesPanelState {
  std::uint64_t generation = 0;  // with `tensor`: what mapping and position belong to
  std::uint32_t tensor = core::kNone32;
  std::uint16_t field = core::kNone16;  // of the tensor: the one that is shown; kNone16: all of it
  std::string name;                     // of what is shown: "x", "x['pos']"
  ShownView view;
  AxisMapping mapping, seen_mapping;
  VectorForm vector_form = VectorForm::wrapped;
  std::optional<ValueGrid> grid;  // of snapshot, tensor and mapping
  std::uint64_t first_row = 0, first_column = 0;
  NumberFormat format;
  float zoom = 1;           // of the cells, relative to the scale of the interface
  std::size_t widest = 0;   // characters of the widest value so far, so that columns grow but never shrink
  double redraw_until = 0;  // a highlight is fading until then
  int next_frame_in = 0;    // milliseconds; 0: no frame is due without an event

  // The bytes of the last frame, row by row, and the texts made of them.
  CellBytes fetched, before;
  bool own = true;     // these bytes were the tensor's own
  CellBytes last_own;  // while they are not: the last own ones, to compare with when they are again
  KeptValues kept;         // of this snapshot's tensors, read while the bytes were their own
  KeptValuesOfMoments kept_before;                       // the same of other snapshots, for looking back
  std::uint64_t kept_generation = 0, kept_moment = 0;    // of `kept`: its generation, its moment in the history (0: none)
  bool shows_now = false;  // show the present bytes although they may not be the tensor's own, not the kept ones
  std::vector<GridCell> cells;
  GridWindow window;
  ImVec2 cells_from, cell_size;     // screen position of the first cell
  std::uint64_t rows_seen = 0;      // whole rows on the screen
  std::uint64_t axis_cells = 0;     // cells lit because their axis is hovered
  std::uint64_t cells_read = 0;     // in the last frame
  std::uint64_t cells_written = 0;  // in the last frame: only changed values are formatted again
  ChangedCells changes;
  std::uint64_t changes_seen = 0;  // frames in which visible cells had other bytes than in the frame before
  std::uint64_t runs_seen = 0;

  Focus seen_pin;                  // brought into view once
  std::optional<CellRange> range;  // selected cells
  bool dragging = false;
  CellPlace menu_cell;              // the cell that the context menu was opened on
  std::optional<SummedCells> sum_of;  // requested, or answered in `sum`
  CellRange sum_asked;                // its range as requested: without a wrap
  std::string sum;
  CopyFormat copy_format = CopyFormat::python;  // of the last copy

  HeadForm head = HeadForm::full;
  bool show_as_open = false;  // open the popup of a folded head
  bool slice_open = false;    // the field for a slice is shown although none is chosen
  bool go_to_open = false, go_to_focus = false;
  std::string go_to_text, go_to_problem;

  SpecialWalk walk;                  // from one special value to the next
  std::string said;                  // the outcome of a walk or a copy
  std::vector<ValueAnswer> answers;  // set between frames
};

void draw_values_panel(const FrameContext& context, ValuesPanelState& state, Commands& commands);

}  // namespace dlscope::app
