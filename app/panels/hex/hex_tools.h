// The controls above the rows of bytes: scope, bytes per row, "Go to", copying.
#pragma once

#include "app/panels/hex/hex_panel.h"

namespace dlscope::app {

// The selected tensor; null: none.
[[nodiscard]] inline const core::TensorRecord* shown_tensor(const FrameContext& context) {
  return context.index != nullptr && context.selected < context.index->size() ? &context.index->tensor(context.selected)
                                                                              : nullptr;
}

void draw_hex_tools(const FrameContext& context, HexPanelState& state, bool has_tensor);
// The "Go to" field, when open.
void draw_hex_go_to(const FrameContext& context, HexPanelState& state, Commands& commands);
// Carries out the actions asked for by the panel's keys.
void carry_out_hex_actions(const FrameContext& context, HexPanelState& state, Commands& commands);
void take_hex_answers(const FrameContext& context, HexPanelState& state, Commands& commands);
void draw_hex_menu(const FrameContext& context, HexPanelState& state, Commands& commands);
void open_hex_go_to(HexPanelState& state);
// Shows any address of the shown space, widening the rows as far as needed.
void go_to_address(const FrameContext& context, HexPanelState& state, core::Address at, Commands& commands);

}  // namespace dlscope::app
