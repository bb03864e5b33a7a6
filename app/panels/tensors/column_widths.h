// How wide the columns of the tensor table are: each what its content needs, until somebody draws its border elsewhere; that
// width stays until a double click on the border gives the column back. The name takes what is left, and gives way first.
#pragma once

#include "app/models/jobs/kept.h"
#include "app/models/table/tensor_table_model.h"
#include "app/panels/frame_context.h"

namespace dlscope::app {

struct ColumnWidthState {
  struct Seen {
    std::uint64_t rows = 0;  // TensorTableModel::rows_version()
    float font_size = 0;
    friend bool operator==(const Seen&, const Seen&) = default;
  };
  Kept<Seen, ColumnWidths> needed;  // pixels, without padding
  ColumnWidths by_hand{};           // in font sizes; 0: as wide as it needs to be
  ColumnWidths given{};             // pixels, in the last frame
};

// What is shown, and how wide, with padding, in pixels. chosen: by a person; none: those there is room for.
struct ColumnPlan {
  ColumnSet shown;
  ColumnWidths widths{};
  float total = 0;
};
[[nodiscard]] ColumnPlan plan_columns(const FrameContext& context, ColumnWidthState& state, const TensorTableModel& model,
                                      const ColumnSet& chosen, float room);

// Before ImGui::BeginTable("tensors"): takes a double click on a border.
void take_fit_request(ColumnWidthState& state);
// Between BeginTable and the first row: takes what was drawn by hand, then sets every width.
void apply_widths(ColumnWidthState& state, const ColumnPlan& plan);

}  // namespace dlscope::app
