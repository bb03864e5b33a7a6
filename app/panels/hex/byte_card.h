// The byte card: the bytes at the cursor decoded as each dtype, beside or below the rows.
#pragma once

#include "app/panels/hex/hex_panel.h"

namespace dlscope::app {

inline constexpr unsigned kCardCharacters = 58, kMinCardCharacters = 28;  // width of the card, and its least width
inline constexpr unsigned kMinCardLines = 8;

// Fills the current window.
void draw_byte_card(const FrameContext& context, HexPanelState& state);

}  // namespace dlscope::app
