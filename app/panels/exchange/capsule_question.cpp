#include "app/panels/exchange/capsule_question.h"

#include <fmt/format.h>
#include <imgui.h>

#include <string>
#include <utility>

#include "app/models/host/act_refusal.h"
#include "app/models/text/element_description.h"
#include "app/widgets/line_text.h"
#include "app/widgets/marks.h"
#include "app/widgets/wrapped_text.h"

namespace dlscope::app {
namespace {

void choose(const FrameContext& context, CapsulesState& capsules, std::optional<std::size_t> choice, Commands& commands) {
  CapsulePrediction& prediction = *capsules.prediction;
  commands.push(command::RunText{prediction.line});
  if (!choice) return capsules.prediction.reset();
  prediction.chosen = choice;
  prediction.run = context.host.next_run();
  capsules.predicted_at = capsules.asked_for;
}

// Why the question cannot be answered now; null: it can.
const char* why_not_answered(const FrameContext& context, const CapsulesState& capsules) {
  if (const char* const why_not = why_not_acted(context.moment, context.host)) return why_not;
  const bool looks = context.host.state() == HostState::scanning && context.moment.since == Since::ran;
  const bool is_current = !looks && capsules.ticket == 0 && capsules.asked_for == context.generation;
  return is_current ? nullptr : "Python is being asked how the capsule is now.";
}

// A button with all of a long text, in several lines where the panel is narrow.
bool text_button(const char* text) {
  const float room = ImGui::GetContentRegionAvail().x - ImGui::GetStyle().FramePadding.x * 2;
  if (text_width(text) <= room) return small_button(text);
  std::string lines;
  WrappedLines rest(text, room);
  while (const auto line = rest.next()) lines.append(lines.empty() ? "" : "\n").append(*line);
  return small_button(fmt::format("{}###{}", lines, text).c_str());
}

void draw_choices(const FrameContext& context, CapsulesState& capsules, Commands& commands) {
  const CapsulePrediction& prediction = *capsules.prediction;
  ImGui::PushFont(context.fonts.bold, 0.0F);
  draw_wrapped_text(capsule_question(prediction.step), context.theme.accent);
  ImGui::PopFont();
  const char* const why_not = why_not_answered(context, capsules);
  const auto choices = capsule_choices(prediction.step);
  // The first choice of a step is what DLPack does: rotated, so that it is not always shown first.
  const std::size_t turned = (static_cast<std::size_t>(prediction.step) * 2 + 1) % choices.size();
  std::optional<std::size_t> chosen;
  ImGui::BeginDisabled(why_not != nullptr);
  for (std::size_t i = 0; i < choices.size(); ++i) {
    const std::size_t choice = (i + turned) % choices.size();
    if (text_button(choices[choice].message)) chosen = choice;
    if (why_not != nullptr) explain(why_not);
  }
  const bool skipped = small_button("Just run it");
  ImGui::EndDisabled();
  explain(std::string_view(prediction.line));
  if (chosen || skipped) choose(context, capsules, chosen, commands);
}

// "NameError: name 'x' is not defined"; "": the line did not raise.
std::string error_of(const core::RunOutcome& outcome) {
  if (outcome.outcome != core::Outcome::raised || !outcome.error) return {};
  return outcome.error->message.empty() ? outcome.error->type
                                        : fmt::format("{}: {}", outcome.error->type, shortened(outcome.error->message, 200));
}

void withdraw(CapsulesState& capsules, std::string why) {
  capsules.prediction.reset();
  capsules.withdrawn = std::move(why);
}

// The question, or what happened.
void draw_asked(const FrameContext& context, ExchangeState& state, Commands& commands) {
  CapsulesState& capsules = state.capsules;
  if (!capsules.withdrawn.empty()) draw_wrapped_text(capsules.withdrawn, context.theme.warn);
  if (!capsules.prediction) return;
  const CapsulePrediction& prediction = *capsules.prediction;
  if (!prediction.chosen) return draw_choices(context, capsules, commands);
  if (!prediction.outcome) return draw_text("Finding out what happened …", context.theme.dim);
  draw_wrapped_text(prediction_text(prediction), was_right(prediction) ? context.theme.good : context.theme.warn);
}

}  // namespace

void run_or_ask(const AskedStep& asked, const std::string& line, Commands& commands) {
  CapsulesState& capsules = asked.state.capsules;
  const bool asks = asked.context.layout == LayoutPreset::teach && asked.state.predictions.asks && asked.step;
  capsules.prediction.reset();
  capsules.withdrawn.clear();
  capsules.show_question = asks;
  if (asks)
    capsules.prediction = prediction_for(*asked.step, line, asked.capsule, capsules.all);
  else
    commands.push(command::RunText{line});
}

void settle_prediction(const HostSession& host, CapsulesState& capsules, PredictionScore& score) {
  if (!capsules.prediction || capsules.prediction->outcome) return;
  if (!capsules.prediction->chosen) {
    if (std::string why = why_withdrawn(*capsules.prediction, capsules.all); !why.empty()) withdraw(capsules, std::move(why));
    return;
  }
  if (capsules.predicted_at == capsules.asked_for) return;
  const auto outcome = outcome_of(*capsules.prediction, capsules.all);
  if (!outcome || *outcome == CapsuleOutcome::nothing) {
    if (const std::string error = error_of(host.outcome_of(capsules.prediction->run)); !error.empty())
      return withdraw(capsules, line_raised_text(error));
  }
  capsules.prediction->outcome = outcome;
  if (!outcome) return;
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
  const float top = ImGui::GetCursorPosY();
  draw_asked(context, state, commands);
  if (!std::exchange(state.capsules.show_question, false)) return;
  const float scrolled = ImGui::GetScrollY();
  if (top < scrolled || ImGui::GetCursorPosY() > scrolled + ImGui::GetWindowHeight()) ImGui::SetScrollY(top);
}

}  // namespace dlscope::app
