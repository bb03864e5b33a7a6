// The cells of the tensor table: a tensor's row, a gone tensor's row, the head of a memory group.
#pragma once

#include "app/models/actions/commands.h"
#include "app/models/table/tensor_table_model.h"
#include "app/panels/frame_context.h"

namespace dlscope::app {

// Draws into the current row of the table; asks for a changed query where a click means that.
void draw_table_line(const FrameContext& context, TensorTableModel& model, const TableLine& line, Commands& commands);

// Folds or unfolds one group.
void ask_fold(const TensorTableModel& model, std::uint32_t section, bool folded, Commands& commands);

}  // namespace dlscope::app
