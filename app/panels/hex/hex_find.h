// Searching bytes from the hex view: in the tensor, in the memory it shares, or in all memory of the process; one match after the
// other, or as a list.
#pragma once

#include "app/panels/hex/hex_panel.h"

namespace dlscope::app {

// The search field, when open, and the list of matches below it.
void draw_hex_find(const FrameContext& context, HexPanelState& state, Commands& commands);
// Searches from the cursor, forward or backward. Opens the search field when it is empty.
void find_next(const FrameContext& context, HexPanelState& state, bool forward, Commands& commands);
// What is searched as it is shown now.
[[nodiscard]] HexPanelState::SaidOf what_is_searched(const FrameContext& context, const HexPanelState& state);
void take_search(const FrameContext& context, HexPanelState& state, HexAnswer& answer, Commands& commands);

}  // namespace dlscope::app
