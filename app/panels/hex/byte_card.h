// What the bytes at the cursor would be as each dtype, beside or below the rows.
#pragma once

#include "app/panels/hex/hex_panel.h"

namespace dlscope::app {

inline constexpr unsigned kCardCharacters = 58, kLeastCardCharacters = 28;  // of its width
inline constexpr unsigned kLeastCardLines = 8;

// Fills the current window.
void draw_byte_card(const FrameContext& context, HexPanelState& state);

}  // namespace dlscope::app
