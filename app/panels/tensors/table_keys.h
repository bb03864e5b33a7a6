// The keys of the tensor table: select, fold, copy.
#pragma once

#include "app/panels/tensors/tensor_table_panel.h"

namespace dlscope::app {

// Only while the panel has the keyboard and nothing is typed in it. state.rows_drawn: in the last frame, the size of a page.
void handle_table_keys(const FrameContext& context, TensorTableState& state, const TensorTableModel& model, Commands& commands);

}  // namespace dlscope::app
