// Looking for bytes from the hex view: in the tensor, in the memory that it shares, in all memory of the process; one match after the
// other, or a list of them.
#pragma once

#include "app/panels/hex/hex_panel.h"

namespace dlscope::app {

// The line to type into, where it is open, and the list of matches below it.
void draw_hex_find(const FrameContext& context, HexPanelState& state, Commands& commands);
// From the cursor on, or back. Opens the line where there is nothing to look for.
void find_next(const FrameContext& context, HexPanelState& state, bool forward, Commands& commands);
void take_search(const FrameContext& context, HexPanelState& state, HexAnswer& answer, Commands& commands);

}  // namespace dlscope::app
