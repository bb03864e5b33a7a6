// In the Teach layout a step of a capsule's life is asked about before it runs: what will happen? Afterwards stands what did, and why. Skipped
// with one click, and turned off with another; the other layouts run the line at once.
#pragma once

#include <optional>
#include <string>

#include "app/panels/exchange/exchange_panel.h"

namespace dlscope::app {

struct AskedStep {
  const FrameContext& context;
  ExchangeState& state;
  std::optional<CapsuleStep> step;  // nullopt: nothing to be asked about
  const CapsuleLife* capsule;       // null: one that is made
};
// What a step's button does: runs the Python line, or asks first.
void run_or_ask(const AskedStep& asked, const std::string& line, Commands& commands);

void draw_prediction(const FrameContext& context, ExchangeState& state, Commands& commands);
// Another answer about the capsules came: what happened may be in it.
void settle_prediction(CapsulesState& capsules, PredictionScore& score);

}  // namespace dlscope::app
