#include "app/panels/exchange/capsule_question.h"

#include <imgui.h>

#include "app/models/host/act_refusal.h"
#include "app/widgets/line_text.h"
#include "app/widgets/marks.h"

namespace dlscope::app {
namespace {

void choose(CapsulesState& capsules, std::optional<std::size_t> choice, Commands& commands) {
  CapsulePrediction& prediction = *capsules.prediction;
  commands.push(command::RunText{prediction.line});
  if (!choice) return capsules.prediction.reset();
  prediction.chosen = choice;
  capsules.predicted_at = capsules.asked_for;
}

void draw_choices(const FrameContext& context, CapsulesState& capsules, Commands& commands) {
  const CapsulePrediction& prediction = *capsules.prediction;
  ImGui::PushFont(context.fonts.bold, 0.0F);
  draw_wrapped_text(capsule_question(prediction.step), context.theme.accent);
  ImGui::PopFont();
  const char* const why_not = why_not_acted(context.moment, context.host);
  const auto choices = capsule_choices(prediction.step);
  // The first choice of a step is what DLPack does: rotated, so that it is not always shown first.
  const std::size_t turned = (static_cast<std::size_t>(prediction.step) * 2 + 1) % choices.size();
  std::optional<std::size_t> chosen;
  ImGui::BeginDisabled(why_not != nullptr);
  for (std::size_t i = 0; i < choices.size(); ++i) {
    const std::size_t choice = (i + turned) % choices.size();
    if (small_button(choices[choice].message)) chosen = choice;
    if (why_not != nullptr) explain(why_not);
  }
  const bool skipped = small_button("Just run it");
  ImGui::EndDisabled();
  explain(std::string_view(prediction.line));
  if (chosen || skipped) choose(capsules, chosen, commands);
}

}  // namespace

void run_or_ask(const AskedStep& asked, const std::string& line, Commands& commands) {
  CapsulesState& capsules = asked.state.capsules;
  const bool asks = asked.context.layout == LayoutPreset::teach && asked.state.predictions.asks && asked.step;
  capsules.prediction.reset();
  if (asks)
    capsules.prediction = prediction_for(*asked.step, line, asked.capsule, capsules.all);
  else
    commands.push(command::RunText{line});
}

void settle_prediction(CapsulesState& capsules, PredictionScore& score) {
  if (!capsules.prediction || !capsules.prediction->chosen || capsules.prediction->outcome ||
      capsules.predicted_at == capsules.asked_for)
    return;
  capsules.prediction->outcome = outcome_of(*capsules.prediction, capsules.all);
  if (!capsules.prediction->outcome) return;
  ++score.made;
  score.right += was_right(*capsules.prediction) ? 1 : 0;
}

void draw_prediction(const FrameContext& context, ExchangeState& state, Commands& commands) {
  if (context.layout != LayoutPreset::teach) return;
  ImGui::Checkbox("Ask me first what will happen", &state.predictions.asks);
  explain("Before each step here you say what it will do; then it runs, and what happened is shown beside it.");
  if (state.predictions.made > 0) {
    ImGui::SameLine();
    draw_text(LineText("{} of {} said right", state.predictions.right, state.predictions.made), context.theme.dim);
  }
  if (!state.capsules.prediction) return;
  const CapsulePrediction& prediction = *state.capsules.prediction;
  if (!prediction.chosen) return draw_choices(context, state.capsules, commands);
  if (!prediction.outcome) return draw_text("Finding out what happened …", context.theme.dim);
  draw_wrapped_text(prediction_text(prediction), was_right(prediction) ? context.theme.good : context.theme.warn);
}

}  // namespace dlscope::app
