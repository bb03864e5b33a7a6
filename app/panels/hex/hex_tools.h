// What stands above the rows of bytes: how far they go, how many there are in a row, going somewhere, finding, copying.
#pragma once

#include "app/panels/hex/hex_panel.h"

namespace dlscope::app {

void draw_hex_tools(const FrameContext& context, HexPanelState& state, bool has_tensor);
// The lines to type into, where they are open.
void draw_hex_go_to(const FrameContext& context, HexPanelState& state, Commands& commands);
void draw_hex_find(const FrameContext& context, HexPanelState& state, Commands& commands);
// What the keys of this panel ask for.
void carry_out_hex_actions(const FrameContext& context, HexPanelState& state, Commands& commands);
void take_hex_answers(const FrameContext& context, HexPanelState& state, Commands& commands);
void draw_hex_menu(const FrameContext& context, HexPanelState& state, Commands& commands);
void open_hex_go_to(HexPanelState& state);

}  // namespace dlscope::app
