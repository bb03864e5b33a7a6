// The part of the history view with the differences between the shown moment and another one.
#pragma once

#include "app/panels/history/history_panel.h"

namespace dlscope::app {

// The moment to compare the shown one with: the chosen one, else the one before, else the one after. 0: there is no other.
[[nodiscard]] std::uint64_t compared_with(const FrameContext& context, const HistoryPanelState& state);

void draw_moment_differences(const FrameContext& context, HistoryPanelState& state, Commands& commands);

}  // namespace dlscope::app
