// Changing bytes in the hex view: arming a tensor for it, typing an element or hex digits, undoing.
#pragma once

#include "app/panels/hex/hex_panel.h"

namespace dlscope::app {

// The button that arms, or what is armed with undo, redo and the field for the element at the cursor.
void draw_hex_edit(const FrameContext& context, HexPanelState& state, Commands& commands);
// Hex digits typed into the rows: two of them are the byte at the cursor. False: not armed, nothing was taken.
bool type_hex_digits(const FrameContext& context, HexPanelState& state, Commands& commands);

// Before anything is drawn: whether the tensor is still armed, and what came of what was written.
void follow_armed_tensor(const FrameContext& context, HexPanelState& state);
void take_write_answers(HexPanelState& state);
void carry_out_edit_actions(const FrameContext& context, HexPanelState& state, Commands& commands);

}  // namespace dlscope::app
