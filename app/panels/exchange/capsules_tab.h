// The tab of watched capsules: where each is in its life, legacy and versioned ones beside each other, what happened and when, and the
// Python lines that take one further, run in the console.
#pragma once

#include "app/panels/exchange/exchange_panel.h"

namespace dlscope::app {

void draw_capsules_tab(const FrameContext& context, ExchangeState& state, Commands& commands);

}  // namespace dlscope::app
