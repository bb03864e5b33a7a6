// Changing bytes in the hex view: arming a tensor for it, typing an element or hex digits, undoing.
#pragma once

#include "app/panels/hex/hex_panel.h"

namespace dlscope::app {

// The button that arms a tensor or, when armed, its name, undo, redo and the field for the element at the cursor.
void draw_hex_edit(const FrameContext& context, HexPanelState& state, Commands& commands);
// Takes hex digits typed into the rows: two of them change the byte at the cursor. False: not armed, no digit was taken.
bool type_hex_digits(const FrameContext& context, HexPanelState& state, Commands& commands);

// Call before drawing: disarms the tensor when code ran; take_write_answers() takes the outcomes of writes.
void follow_armed_tensor(const FrameContext& context, HexPanelState& state);
void take_write_answers(HexPanelState& state);
// Call when other bytes are shown. That writes were disarmed stays to be read.
void forget_problem_of_other(HexPanelState& state);
void carry_out_edit_actions(const FrameContext& context, HexPanelState& state, Commands& commands);

}  // namespace dlscope::app
