// The part of the history view that says what is different between the shown moment and another one.
#pragma once

#include "app/panels/history/history_panel.h"

namespace dlscope::app {

// The moment that the shown one is compared with: as chosen, else the one before, else the one after. 0: it is the only one.
[[nodiscard]] std::uint64_t compared_with(const FrameContext& context, const HistoryPanelState& state);

void draw_moment_differences(const FrameContext& context, HistoryPanelState& state, Commands& commands);

}  // namespace dlscope::app
