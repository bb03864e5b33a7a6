// The tensor table: one row per tensor, filter box above. Draws only the rows on screen, whatever their number.
#pragma once

#include <bitset>
#include <optional>
#include <string>

#include "app/models/actions/commands.h"
#include "app/models/table/tensor_table_model.h"
#include "app/panels/frame_context.h"

namespace dlscope::app {

struct TensorTableState {
  std::string filter;                       // as typed
  bool focus_filter = false;                // put the keyboard there in the next frame
  std::uint32_t scroll_to = core::kNone32;  // bring this tensor into view, once
  int rows_drawn = 0;                       // in the last frame, for tests
  std::bitset<kTableColumns> shown;         // columns, in the last frame
  std::bitset<kTableColumns> toggle;        // columns to show or hide, once
  float fixed_width = 0;                    // of all columns but the one that takes the rest, in the last frame
};

void draw_tensor_table_panel(const FrameContext& context, TensorTableState& state, TensorTableModel& model, Commands& commands);

}  // namespace dlscope::app
