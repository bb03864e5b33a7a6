// Widths of the tensor table's columns: each fits its content until a person drags its border; that width stays until a double
// click on the border resets it. The name column takes the remaining width, and is the first to shrink.
#pragma once

#include "app/models/jobs/cached_value.h"
#include "app/models/table/tensor_table_model.h"
#include "app/panels/frame_context.h"

namespace dlscope::app {

struct ColumnWidthState {
  struct Seen {
    std::uint64_t rows = 0;  // TensorTableModel::rows_version()
    float font_size = 0;
    friend bool operator==(const Seen&, const Seen&) = default;
  };
  CachedValue<Seen, ColumnWidths> needed;  // pixels, without padding
  ColumnWidths by_hand{};           // in font sizes; 0: fits its content
  ColumnWidths given{};             // pixels, as set in the last frame
};

// The columns to show and their widths with padding, in pixels. chosen: by a person; empty: those that fit.
struct ColumnPlan {
  ColumnSet shown;
  ColumnWidths widths{};
  float total = 0;
};
[[nodiscard]] ColumnPlan plan_columns(const FrameContext& context, ColumnWidthState& state, const TensorTableModel& model,
                                      const ColumnSet& chosen, float room);

// Call before ImGui::BeginTable("tensors"): takes a double click on a border.
void take_fit_request(ColumnWidthState& state);
// Call between BeginTable and the first row: takes dragged widths, then sets every width.
void apply_widths(ColumnWidthState& state, const ColumnPlan& plan);

}  // namespace dlscope::app
