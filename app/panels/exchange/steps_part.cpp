#include "app/panels/exchange/steps_part.h"

#include <fmt/format.h>
#include <imgui.h>

#include <utility>

#include "app/panels/exchange/exchange_parts.h"
#include "app/widgets/line_text.h"
#include "app/widgets/marks.h"

namespace dlscope::app {
namespace {

constexpr const char* kAsker = "exchange_step";

void ask(ExchangeState& state, Commands& commands, std::string question) {
  state.hand.steps.ticket = ++state.last_ticket;
  commands.push(command::AskPython{Question{kAsker, state.hand.steps.ticket, kAsker, std::move(question), true}});
}

void take_answer(const FrameContext& context, StepsState& steps) {
  const Reply* const reply = context.answers.reply(kAsker);
  if (reply == nullptr || steps.ticket == 0 || reply->ticket != steps.ticket) return;
  steps.ticket = 0;
  auto made = read_steps(reply->text);
  steps.ended = !reply->error.empty() ? reply->error : made ? made->ended : made.error().message;
  steps.made = steps.ended.empty() ? std::optional(std::move(*made)) : std::nullopt;
}

// Why the tensor is not there for the last step; "": it is.
std::string why_not_finished(const FrameContext& context, const StepsState& steps) {
  if (context.index != nullptr && context.index->find(steps.tensor)) return {};
  return steps.tensor + " is no longer among the tensors.";
}

void finish(const FrameContext& context, ExchangeState& state, Commands& commands) {
  const auto tensor = context.index->find(state.hand.steps.tensor);
  const ExchangeChoice& choice = state.hand.steps.choice;
  forget_handed(state);
  commands.push(command::SelectTensor{*tensor});  // the verdict is shown with the tensor that it is about
  commands.push(command::HandTo{{{context.index->snapshot->info.revision, *tensor},
                                 choice.library,
                                 choice.device,
                                 choice.copy,
                                 state.hand.steps.name,
                                 choice.stream}});
}

void draw_buttons(const FrameContext& context, ExchangeState& state, Commands& commands) {
  const HandOverSteps& made = *state.hand.steps.made;
  const std::string gone = why_not_finished(context, state.hand.steps);
  const std::string waits = state.hand.steps.ticket != 0 ? "The last step is still being made." : "";
  const bool is_last = made.failed || made.left <= 1;
  if (draw_go(context, state, "Next step", !waits.empty() ? waits : is_last ? gone : std::string())) {
    if (is_last)
      finish(context, state, commands);
    else
      ask(state, commands, next_step_question(made.number));
  }
  same_line_for(button_width("Run the rest"));
  if (draw_go(context, state, "Run the rest", waits.empty() ? gone : waits)) finish(context, state, commands);
  same_line_for(button_width("Abandon"));
  if (draw_go(context, state, "Abandon", waits)) ask(state, commands, abandon_steps_question(made.number));
}

}  // namespace

void follow_steps(const FrameContext& context, ExchangeState& state, Commands& commands) {
  take_answer(context, state.hand.steps);
  const StepsState& steps = state.hand.steps;
  if (!steps.made || steps.ticket != 0 || state.busy || steps.looked_at == context.generation) return;
  if (context.answers.closed() || !context.host.python_rests()) return;
  state.hand.steps.looked_at = context.generation;
  ask(state, commands, look_at_steps_question(state.hand.steps.made->number));
}

void draw_begin_steps(const FrameContext& context, ExchangeState& state, const ExchangeSubject& subject,
                      const std::string& refused, Commands& commands) {
  same_line_for(button_width("Step by step"));
  const std::string why_not = state.hand.steps.ticket != 0 ? "The first step is being made." : refused;
  const bool pressed = draw_go(context, state, "Step by step", why_not);
  if (why_not.empty())
    explain("Makes the calls one by one: device, capsule, the library's function, and the look at what became of both.");
  if (!pressed) return;
  forget_handed(state);
  state.hand.steps = {};
  state.hand.steps.choice = state.hand.choice;
  state.hand.steps.tensor = subject.name;
  state.hand.steps.name = state.hand.name;
  state.hand.steps.looked_at = context.generation;
  ask(state, commands,
      begin_steps_question(state.hand.choice, subject.name, subject.expression.empty() ? subject.name : subject.expression));
}

void draw_steps(const FrameContext& context, ExchangeState& state, Commands& commands) {
  const HandOverSteps& made = *state.hand.steps.made;
  ImGui::PushFont(context.fonts.bold, 0.0F);
  const StepsState& steps = state.hand.steps;
  draw_wrapped_text(LineText("{} → {}, step by step", steps.tensor, steps.choice.library), context.theme.text);
  ImGui::PopFont();
  draw_text(steps_made_text(made), made.failed ? context.theme.bad : context.theme.dim);
  draw_buttons(context, state, commands);
  draw_wrapped_text(next_step_text(made), context.theme.accent);
  draw_calls(context, made.calls, true);
  if (const std::string held = held_text(made); !held.empty()) draw_wrapped_text(held, context.theme.warn);
}

}  // namespace dlscope::app
