// The cells of the tensor table: the row of a tensor, of a gone tensor, and a head.
#pragma once

#include "app/models/actions/commands.h"
#include "app/models/table/tensor_table_model.h"
#include "app/panels/frame_context.h"

namespace dlscope::app {

// Draws into the table's current row; pushes a changed query when a click asks for one.
void draw_table_line(const FrameContext& context, TensorTableModel& model, const TableLine& line, Commands& commands);

// Asks to fold or unfold one section.
void ask_fold(const TensorTableModel& model, std::uint32_t section, bool folded, Commands& commands);

}  // namespace dlscope::app
