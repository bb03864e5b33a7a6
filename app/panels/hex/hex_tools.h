// What stands above the rows of bytes: how far they go, how many there are in a row, going somewhere, copying.
#pragma once

#include "app/panels/hex/hex_panel.h"

namespace dlscope::app {

// The selected one; null: none is.
[[nodiscard]] inline const core::TensorRecord* shown_tensor(const FrameContext& context) {
  return context.index != nullptr && context.selected < context.index->size() ? &context.index->tensor(context.selected)
                                                                              : nullptr;
}

void draw_hex_tools(const FrameContext& context, HexPanelState& state, bool has_tensor);
// The line to type into, where it is open.
void draw_hex_go_to(const FrameContext& context, HexPanelState& state, Commands& commands);
// What the keys of this panel ask for.
void carry_out_hex_actions(const FrameContext& context, HexPanelState& state, Commands& commands);
void take_hex_answers(const FrameContext& context, HexPanelState& state, Commands& commands);
void draw_hex_menu(const FrameContext& context, HexPanelState& state, Commands& commands);
void open_hex_go_to(HexPanelState& state);
// To any address of the space that is shown; the rows reach as far as it takes.
void go_to_address(const FrameContext& context, HexPanelState& state, core::Address at, Commands& commands);

}  // namespace dlscope::app
