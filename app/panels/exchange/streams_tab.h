// The tab of recorded streams: who wrote and read on which stream, who waited for whom, and whether anything orders a read after a write.
#pragma once

#include "app/panels/exchange/exchange_panel.h"

namespace dlscope::app {

void draw_streams_tab(const FrameContext& context, ExchangeState& state, Commands& commands);

}  // namespace dlscope::app
