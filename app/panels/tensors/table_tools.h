// What stands above the tensor table: filter, views, columns, how old the facts are, the comparison of two tensors, and the reading
// of values for the columns that show them.
#pragma once

#include "app/panels/tensors/tensor_table_panel.h"

namespace dlscope::app {

void draw_table_tools(const FrameContext& context, TensorTableState& state, const TensorTableModel& model, Commands& commands);

// The entries by which a person chooses columns, for a popup.
void draw_column_choice(TensorTableState& state);

}  // namespace dlscope::app
