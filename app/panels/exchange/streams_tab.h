// The tab of a recorded trace of streams: writes and reads on each stream, which stream waited for which, and whether reads are
// ordered after writes.
#pragma once

#include "app/panels/exchange/exchange_panel.h"

namespace dlscope::app {

void draw_streams_tab(const FrameContext& context, ExchangeState& state, Commands& commands);

}  // namespace dlscope::app
