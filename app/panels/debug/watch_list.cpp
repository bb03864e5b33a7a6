#include "app/panels/debug/watch_list.h"

#include <imgui.h>
#include <misc/cpp/imgui_stdlib.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "app/models/text/fitted_text.h"
#include "app/models/text/format.h"
#include "app/widgets/line_text.h"
#include "app/widgets/marks.h"
#include "app/widgets/typed_ahead.h"
#include "core/wire/messages.h"

namespace dlscope::app {
namespace {

constexpr const char* kAsker = "watches";
constexpr double kSoon = 0.5;  // seconds: an answer that takes longer is waited for in words

// Whose stack the chosen frame is in: frames of other threads and tasks have a heading above them, with the name in quotes.
std::string thread_of(const StopView& stop) {
  for (std::size_t i = std::min<std::size_t>(stop.frame + 1, stop.at.frames.size()); i-- > 0;) {
    const std::string& heading = stop.at.frames[i].heading;
    if (!heading.empty()) return heading.substr(0, heading.find('"', heading.find('"') + 1));
  }
  return stop.at.thread;
}

// Asks once for each stop, frame and console line, when the code stands and its tensors were scanned.
void ask(const FrameContext& context, WatchListState& state, Commands& commands) {
  const StopView* stop = context.host.frames();
  if (stop == nullptr || !context.host.python_rests() || context.watches.empty()) return;
  if (state.asked_at == stop->revision && state.asked == context.watches) return;
  state.asked_at = stop->revision;
  state.asked = context.watches;
  state.asked_since = ImGui::GetTime();
  const core::wire::StackFrame* const frame = stop->chosen();
  state.place = {.run = context.host.stop() != nullptr ? context.host.current_run() : context.host.ended_run(),
                 .stop = stop->at.stop,
                 .thread = thread_of(*stop),
                 .path = frame != nullptr ? frame->path : std::string(),
                 .function = frame != nullptr ? frame->function : std::string()};
  state.answered = false;
  state.failure.clear();
  commands.push(command::AskPython{
      {.asker = kAsker, .ticket = ++state.ticket, .kind = "evaluate", .text = evaluate_question(state.asked, stop->frame)}});
}

void take(const FrameContext& context, WatchListState& state) {
  const Reply* reply = context.answers.reply(kAsker);
  if (state.answered || state.ticket == 0 || reply == nullptr || reply->ticket != state.ticket) return;
  state.answered = true;
  state.values.clear();
  if (reply->error.empty()) {
    state.values = values_from_json(reply->text, state.asked.size());
    state.stops.note(state.place, state.asked, state.values);
    state.homes.note(context.host.script_of_run().path, state.asked, state.values);
  } else {
    state.failure = "not evaluated: " + (reply->error == core::wire::kAnswerBusy ? "code runs"
                                         : reply->error == "gone"                ? "there is no Python to ask"
                                                                                 : reply->error);
  }
}

// An expression in the question about the present stop, and the answer to it; null: there is none, or none yet.
struct Answer {
  bool is_asked = false;
  const WatchValue* value = nullptr;
};

Answer answer_to(const FrameContext& context, const WatchListState& state, const std::string& expression) {
  const StopView* const stop = context.host.frames();
  const auto asked = std::ranges::find(state.asked, expression);
  if (stop == nullptr || state.asked_at != stop->revision || asked == state.asked.end()) return {};
  const auto at = static_cast<std::size_t>(asked - state.asked.begin());
  return {true, state.answered && at < state.values.size() ? &state.values[at] : nullptr};
}

// "of a.py": the script that had a name which is missing here; "": it is not, or none is known.
std::string elsewhere(const FrameContext& context, const WatchListState& state, const std::string& expression,
                      const WatchValue* value) {
  return value == nullptr ? std::string() : state.homes.elsewhere(context.host.script_of_run().path, expression, *value);
}

void draw_unanswered(const FrameContext& context, const WatchListState& state, bool is_asked) {
  if (is_asked && state.answered) return draw_text(state.failure, context.theme.dim);
  if (!is_asked || !context.answers.is_open(kAsker) || ImGui::GetTime() - state.asked_since <= kSoon)
    return draw_text("…", context.theme.dim);
  draw_text("not evaluated yet", context.theme.warn);
  explain(
      "Python has not answered yet: an expression in the list, or something that was asked before it, takes long. Stop "
      "interrupts it; where that does not help, Kill ends the Python process.");
}

// Beside an expression: its value at this stop, or why there is none.
void draw_value(const FrameContext& context, const WatchListState& state, const std::string& expression) {
  if (context.host.frames() == nullptr) return draw_text(context.host.busy() ? "code runs" : "not at a stop", context.theme.dim);
  const Answer answer = answer_to(context, state, expression);
  if (answer.value == nullptr) return draw_unanswered(context, state, answer.is_asked);
  const WatchValue& value = *answer.value;
  const std::string& shown = value.error.empty() ? value.text : value.error;
  if (const std::string other = elsewhere(context, state, expression, &value); !other.empty()) {
    draw_text(other, context.theme.dim);
    return explain([&] {
      return shown + " here, at present.\nIt last had a value in another script: it is a watch " + other +
             ". At the stops of this script where it was evaluated it had none.";
    });
  }
  const std::string was = state.stops.was(expression, value);
  const float room = ImGui::GetContentRegionAvail().x, for_was = ImGui::GetStyle().ItemSpacing.x + text_width("was " + was);
  const CutText fitted = fit_text(shown, std::max(room / 2, was.empty() ? room : room - for_was), text_width);
  const bool not_here = value.error.starts_with("NameError");  // of another frame or script: nothing is wrong
  draw_text(fitted, not_here ? context.theme.dim : !value.error.empty() ? context.theme.bad : was.empty() ? context.theme.text : context.theme.warn);
  explain(shown);
  if (was.empty()) return;
  ImGui::SameLine();
  draw_text("was " + was, context.theme.dim);
  explain([&] { return state.stops.change(expression, value); });
}

void draw_rows(const FrameContext& context, const WatchListState& state, Commands& commands) {
  constexpr auto kFlags = ImGuiTableFlags_Resizable | ImGuiTableFlags_BordersInnerV | ImGuiTableFlags_NoSavedSettings;
  if (context.watches.empty() || !ImGui::BeginTable("watches", 3, kFlags)) return;
  ImGui::TableSetupColumn("expression", ImGuiTableColumnFlags_WidthStretch, 0.4F);
  ImGui::TableSetupColumn("value", ImGuiTableColumnFlags_WidthStretch, 0.6F);
  ImGui::TableSetupColumn("##remove", ImGuiTableColumnFlags_WidthFixed | ImGuiTableColumnFlags_NoResize,
                          ImGui::GetFontSize() * 1.4F);
  std::optional<std::size_t> removed;
  for (std::size_t i = 0; i < context.watches.size(); ++i) {
    ImGui::PushID(static_cast<int>(i));
    ImGui::TableNextRow();
    ImGui::TableNextColumn();
    ImGui::PushFont(context.fonts.mono, 0.0F);
    draw_text(context.watches[i]);
    explain(context.watches[i]);
    ImGui::TableNextColumn();
    draw_value(context, state, context.watches[i]);
    ImGui::PopFont();
    ImGui::TableNextColumn();
    if (small_button("×")) removed = i;
    explain("Takes it off the list.");
    ImGui::PopID();
  }
  ImGui::EndTable();
  if (!removed) return;
  auto left = context.watches;
  left.erase(left.begin() + static_cast<std::ptrdiff_t>(*removed));
  commands.push(command::SetWatches{std::move(left)});
}

// Offers to take the watches of other scripts off the list, which keeps them otherwise: that script may be opened again.
void draw_others(const FrameContext& context, const WatchListState& state, Commands& commands) {
  const auto is_other = [&](const std::string& expression) {
    return !elsewhere(context, state, expression, answer_to(context, state, expression).value).empty();
  };
  const auto others = static_cast<std::uint64_t>(std::ranges::count_if(context.watches, is_other));
  if (others == 0) return;
  if (small_button(LineText("Remove {} of other scripts###others", counted(others, "watch", "watches")).c_str())) {
    auto left = context.watches;
    std::erase_if(left, is_other);
    commands.push(command::SetWatches{std::move(left)});
  }
  explain(
      "They had a value in another script, and none at the stops of this one so far. It may still assign such a name, or have it in "
      "another frame. They stay in the list until they are taken off it.");
}

void draw_new(const FrameContext& context, WatchListState& state, Commands& commands) {
  ImGui::SetNextItemWidth(-1);
  ImGui::PushFont(context.fonts.mono, 0.0F);
  if (std::exchange(state.keep_keyboard, false)) take_keyboard_now("##watch");
  const bool entered =
      ImGui::InputTextWithHint("##watch", "x.shape, loss.item() …", &state.typed, ImGuiInputTextFlags_EnterReturnsTrue);
  ImGui::PopFont();
  explain("An expression that is evaluated at every stop, in the chosen frame. What it calls runs in your program.");
  if (state.typed.find_first_not_of(" \t") == std::string::npos) return;
  auto more = context.watches;
  const bool there = std::ranges::find(more, state.typed) != more.end();
  const bool is_full = !there && more.size() >= kMaxWatches;
  if (is_full)
    draw_wrapped_text(std::to_string(kMaxWatches) + " are watched, and no more can be: take one off first.", context.theme.warn);
  if (!entered || is_full) return;
  if (!there) more.push_back(state.typed);
  state.typed.clear();
  commands.push(command::SetWatches{std::move(more)});
  state.keep_keyboard = true;
}

}  // namespace

void draw_watch_list(const FrameContext& context, WatchListState& state, Commands& commands) {
  take(context, state);
  ask(context, state, commands);
  draw_text("Watch", context.theme.dim);
  draw_rows(context, state, commands);
  draw_others(context, state, commands);
  draw_new(context, state, commands);
}

}  // namespace dlscope::app
