// The tensor table: one row per tensor, with a filter above. Draws only the visible rows and, unless a person chose columns, only
// the columns that fit.
#pragma once

#include <span>
#include <string>

#include "app/models/actions/commands.h"
#include "app/models/focus/partners.h"
#include "app/models/host/lease_list.h"
#include "app/models/jobs/cached_value.h"
#include "app/models/table/tensor_table_model.h"
#include "app/panels/frame_context.h"
#include "app/panels/tensors/column_widths.h"

namespace dlscope::app {

// The pair whose comparison is shown above the table.
struct ComparedPair {
  std::uint64_t generation = 0;
  std::uint32_t a = core::kNone32, b = core::kNone32;
  friend bool operator==(const ComparedPair&, const ComparedPair&) = default;
};

struct TensorTableState {
  std::string filter;                         // as typed
  bool focus_filter = false;                  // put the keyboard there in the next frame
  std::uint32_t scroll_to = core::kNone32;    // the tensor to bring into view once
  float view_height = 0;                      // in the last frame
  bool selection_seen = false;                // the selected row was visible then, or about to be
  int rows_drawn = 0;                         // in the last frame, for tests
  ColumnSet shown;                            // in the last frame
  ColumnSet chosen;                           // by a person; empty: those that fit
  ColumnWidthState widths;
  std::uint64_t surveyed = 0;  // generation whose values were requested without a button
  CachedValue<ComparedPair, Comparison> comparison;
};

void draw_tensor_table_panel(const FrameContext& context, TensorTableState& state, TensorTableModel& model,
                             std::span<const NamelessLease> nameless, Commands& commands);

}  // namespace dlscope::app
