// The layout of the selected tensor: at the top, what each axis does in memory, and how the focused element's address is
// computed; then the logical grid of any two axes; below it the storage tape, the same elements in address order, with the
// tensors that share their bytes. A common colour ramp, the focus and a line connect grid and tape. The cost depends on the cells
// on screen, not on the tensor's size.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <imgui.h>

#include "app/models/actions/commands.h"
#include "app/models/jobs/cached_value.h"
#include "app/models/layout/address_terms.h"
#include "app/models/layout/axis_facts.h"
#include "app/models/layout/axis_view.h"
#include "app/models/layout/reach_profile.h"
#include "app/models/layout/storage_tape.h"
#include "app/models/layout/tape_range.h"
#include "app/models/values/value_grid.h"
#include "app/panels/frame_context.h"

namespace dlscope::app {

// What an element's colour on the ramp stands for.
enum class ShadeBy : std::uint8_t { address, order };

// One tape: of the selected tensor, or of a tensor that shares its memory.
struct TapeStrip {
  std::uint32_t tensor = core::kNone32;
  std::string name;
  std::int64_t origin = 0;  // position of its element [0,...,0] on the panel's tape axis
  std::unique_ptr<StorageTape> tape;
  std::vector<TapePiece> pieces;  // of the range `first`, `step`, `count`
  std::int64_t first = 0, step = 0;
  std::uint32_t count = 0;
};

// What the last frame drew, for tests.
struct LayoutDrawn {
  int grid_cells = 0, grid_lit = 0;
  double grid_rows = 0;  // visible rows, when one line of text is a row
  int tape_pieces = 0, tape_lit = 0;
  int strips = 0;
  int reach_pieces = 0;                           // of the profile below the tape
  int formula_lines = 0, formula_left_out = 0;    // lines of the address formula, and terms that had no room
  bool joined = false;                            // the line between the hovered cell and its place on the tape was drawn
  ImVec2 grid_from, grid_to, tape_from, tape_to;  // their places on the screen
  ImVec2 first_cell;                              // centre of the upper left cell
};

// What the number of lines of the address formula depends on.
struct FormulaRoom {
  std::uint64_t generation = 0;
  std::uint32_t tensor = core::kNone32;
  float width = 0, font_size = 0;  // pixels
  friend bool operator==(const FormulaRoom&, const FormulaRoom&) = default;
};
struct FormulaLines {
  int with_labels = 1, without = 1;
};

struct LayoutPanelState {
  std::uint64_t generation = 0;  // with `tensor`: which tensor everything below belongs to
  std::uint32_t tensor = core::kNone32;
  std::string name;
  AxisMapping mapping;
  std::vector<AxisFact> facts;
  OrderVerdict c_order, f_order;
  AxisView rows, columns, tape;
  TapeRange range;
  std::vector<TapeStrip> strips;  // the tensor itself first; empty: it has no elements
  std::uint64_t strips_left_out = 0;
  std::optional<ReachProfile> reach;  // of the tensor; none: no byte is reached twice
  std::string reach_words;            // its counts, or how far the counting is; "": over budget
  std::vector<ReachPiece> reach_pieces;
  bool first_look = false;  // the tape was not drawn since the tensor changed
  ShadeBy shade = ShadeBy::address;
  bool show_others = true;
  Focus followed;                                   // the pinned focus, brought into view once
  bool grid_hovered = false, tape_hovered = false;  // in the last frame
  std::optional<std::uint64_t> reveal;              // the element to bring into view in this frame
  CachedValue<FormulaRoom, FormulaLines> formula_lines;  // of the element whose formula is longest
  std::vector<GridCell> values;
  std::vector<std::uint64_t> wanted;  // elements whose values are read
  LayoutDrawn drawn;
};

void draw_layout_panel(const FrameContext& context, LayoutPanelState& state, Commands& commands);

}  // namespace dlscope::app
