// A hand-over step by step, in the tab "Hand over": its button, and the view that takes the tab's place while it is under way.
#pragma once

#include "app/panels/exchange/exchange_panel.h"
#include "app/panels/exchange/exchange_tabs.h"

namespace dlscope::app {

// Takes the newest answer, and asks how it stands when there is a new snapshot: code may have run.
void follow_steps(const FrameContext& context, ExchangeState& state, Commands& commands);
// "Step by step", beside the button that hands over at once; refused: why this cannot be handed over, "": it can.
void draw_begin_steps(const FrameContext& context, ExchangeState& state, const ExchangeSubject& subject,
                      const std::string& refused, Commands& commands);
// What was called so far, what comes next, and the buttons. Only while it is under way.
void draw_steps(const FrameContext& context, ExchangeState& state, Commands& commands);

}  // namespace dlscope::app
