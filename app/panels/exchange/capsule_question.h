// In the Teach layout a person is asked before a step of a capsule's life: what will happen? Afterwards it shows what happened,
// and why. One click skips the question, another turns questions off. In other layouts the line runs at once.
#pragma once

#include <optional>
#include <string>

#include "app/panels/exchange/exchange_panel.h"

namespace dlscope::app {

struct AskedStep {
  const FrameContext& context;
  ExchangeState& state;
  std::optional<CapsuleStep> step;  // nullopt: there is no question for it
  const CapsuleLife* capsule;       // null: the step creates it
};
// The action of a step's button: runs the Python line, or asks first.
void run_or_ask(const AskedStep& asked, const std::string& line, Commands& commands);

void draw_prediction(const FrameContext& context, ExchangeState& state, Commands& commands);
// Call when a new answer about the capsules came: it may contain the outcome, or show that the question is out of date.
void settle_prediction(const HostSession& host, CapsulesState& capsules, PredictionScore& score);

}  // namespace dlscope::app
