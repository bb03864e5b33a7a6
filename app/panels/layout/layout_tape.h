// The storage tape of the layout view: the elements in address order, holes included, with aligned tapes below it of the tensors
// that share the memory.
#pragma once

#include "app/panels/layout/layout_focus.h"
#include "app/panels/layout/layout_panel.h"

namespace dlscope::app {

// Fills `size` from the cursor on. Wheel zooms at the cursor, drag pans, F fits, 0 is 1:1, + and - zoom, a double click zooms to
// the piece.
void draw_layout_tape(const FrameContext& context, LayoutPanelState& state, const LayoutFocus& focus, ImVec2 size,
                      Commands& commands);

// The height of the tape with everything it can show; `least`: without the tapes of other tensors, the marks above and the words
// about how often bytes are reached.
struct TapeHeights {
  float least = 0, words = 0, marks = 0, others = 0;
  [[nodiscard]] float all() const { return least + words + marks + others; }
};
[[nodiscard]] TapeHeights tape_heights(const FrameContext& context, const LayoutPanelState& state);

}  // namespace dlscope::app
