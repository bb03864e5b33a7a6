// The tab of watched capsules: the stage of each (legacy and versioned ones side by side), what happened to it and when, and
// Python lines for its next steps, run in the console.
#pragma once

#include "app/panels/exchange/exchange_panel.h"

namespace dlscope::app {

void draw_capsules_tab(const FrameContext& context, ExchangeState& state, Commands& commands);

}  // namespace dlscope::app
