// The tensor table: one row per tensor, filter box above. Draws only the rows on screen, whatever their number, and of the
// columns, unless somebody chose them, only those there is room for.
#pragma once

#include <string>

#include "app/models/actions/commands.h"
#include "app/models/focus/partners.h"
#include "app/models/jobs/kept.h"
#include "app/models/table/tensor_table_model.h"
#include "app/panels/frame_context.h"
#include "app/panels/tensors/column_widths.h"

namespace dlscope::app {

// Which comparison stands in the line above the table.
struct ComparedPair {
  std::uint64_t generation = 0;
  std::uint32_t a = core::kNone32, b = core::kNone32;
  friend bool operator==(const ComparedPair&, const ComparedPair&) = default;
};

struct TensorTableState {
  std::string filter;                         // as typed
  bool focus_filter = false;                  // put the keyboard there in the next frame
  std::uint32_t scroll_to = core::kNone32;    // bring this tensor into view, once
  float view_height = 0;                      // in the last frame
  bool selection_seen = false;                // the selected row was in view then, or about to be
  int rows_drawn = 0;                         // in the last frame, for tests
  ColumnSet shown;                            // in the last frame
  ColumnSet chosen;                           // by the user; none: those there is room for
  ColumnWidthState widths;
  Kept<std::uint64_t, std::uint64_t> bytes;  // of all tensors, by generation
  std::uint64_t surveyed = 0;                // generation for which the values were asked for without a button
  Kept<ComparedPair, Comparison> comparison;
};

void draw_tensor_table_panel(const FrameContext& context, TensorTableState& state, TensorTableModel& model, Commands& commands);

}  // namespace dlscope::app
