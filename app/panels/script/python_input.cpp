#include "app/panels/script/python_input.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <imgui.h>
#include <imgui_internal.h>
#include <misc/cpp/imgui_stdlib.h>

#include <algorithm>
#include <utility>

#include "app/models/host/console_hint.h"
#include "app/models/text/fitted_text.h"
#include "app/models/text/python_text.h"
#include "app/panels/script/completion_popup.h"
#include "app/widgets/marks.h"
#include "app/widgets/typed_ahead.h"
#include "core/wire/messages.h"

namespace dlscope::app {
namespace {

constexpr const char* kJudge = "console.complete?";
constexpr const char* kComplete = "console.completion";
constexpr const char* kField = "##input";
constexpr auto kOver = ImGuiInputFlags_RouteGlobal | ImGuiInputFlags_RouteOverFocused | ImGuiInputFlags_RouteOverActive;

bool on_first_line(const PythonInput& s) { return s.text.find('\n') >= std::min(s.cursor, s.text.size()); }
bool on_last_line(const PythonInput& s) {
  return s.text.find('\n', std::min(s.cursor, s.text.size())) == std::string::npos;
}

bool can_be_asked(const FrameContext& context) { return context.host.python_rests(); }
// The chosen frame of a stop, whose names the console uses.
std::optional<std::uint32_t> chosen_frame(const FrameContext& context) {
  const StopView* stop = context.host.frames();
  return stop != nullptr ? std::optional(stop->frame) : std::nullopt;
}

void put(PythonInput& state, std::string text) {
  const std::size_t end = text.size();
  state.edit = ConsoleEdit{std::move(text), end};
}

int in_field(ImGuiInputTextCallbackData* data) {
  auto& state = *static_cast<PythonInput*>(data->UserData);
  if (data->EventFlag == ImGuiInputTextFlags_CallbackCompletion) {
    state.tab_pressed = true;
    return 0;
  }
  state.cursor = static_cast<std::size_t>(data->CursorPos);
  state.selecting = data->HasSelection();
  return 0;
}

// Makes a pending edit: before the field takes what is typed in this frame, which comes after it. True: the field has no keyboard.
bool apply_edit(PythonInput& state) {
  if (!state.edit) return false;
  state.text = std::move(state.edit->text);
  state.cursor = state.edit->cursor;
  state.edit.reset();
  if (!state.active) return state.take_keyboard = true;
  if (ImGuiInputTextState* const field = ImGui::GetInputTextState(ImGui::GetID(kField))) {
    field->WantReloadUserBuf = true;
    field->ReloadSelectionStart = field->ReloadSelectionEnd = static_cast<int>(state.cursor);
  }
  return false;
}

// An empty last line ends a block; indentation that the editor put there is ignored.
std::string without_blank_end(const std::string& text) {
  const std::size_t line = text.rfind('\n');
  if (line == std::string::npos || text.find_first_not_of(" \t", line + 1) != std::string::npos) return text;
  return text.substr(0, line + 1);
}

// At once, or when the line before it has run.
void run_line(const FrameContext& context, PythonInput& state, std::string text, Commands& commands) {
  if (context.host.busy()) return state.held.push_back(std::move(text));
  while (text.ends_with('\n')) text.pop_back();
  if (state.history.add(text)) commands.push(command::KeepHistory{text});
  state.history.stop_walking();
  commands.push(command::RunText{std::move(text)});
}

void run_now(const FrameContext& context, PythonInput& state, Commands& commands) {
  run_line(context, state, without_blank_end(state.text), commands);
  state.judged = 0;
  put(state, "");
}

void run_held_line(const FrameContext& context, PythonInput& state, Commands& commands) {
  if (state.held.empty() || context.host.busy()) return;
  if (console_needs_restart(context.host))  // they mean names that are gone: back into the field
    return put(state, fmt::format("{}\n{}", fmt::join(std::exchange(state.held, {}), "\n"), state.text));
  std::string line = std::move(state.held.front());
  state.held.erase(state.held.begin());
  run_line(context, state, std::move(line), commands);
}

void open_line(PythonInput& state) {
  const std::size_t at = std::min(state.cursor, state.text.size());
  const std::size_t start = at == 0 ? 0 : state.text.rfind('\n', at - 1) + 1;
  const std::string line = "\n" + next_indent(std::string_view(state.text).substr(start, at - start), "    ");
  state.edit = ConsoleEdit{state.text.substr(0, at) + line + state.text.substr(at), at + line.size()};
  state.judged = 0;
}

void enter(const FrameContext& context, PythonInput& state, Commands& commands) {
  if (console_needs_restart(context.host)) return;  // the line stays; draw_restart() says why
  if (state.text.find_first_not_of(" \t\n") == std::string::npos) return put(state, "");
  if (!on_last_line(state)) return open_line(state);
  const std::string text = without_blank_end(state.text);
  // A complete single line needs no question. When Python cannot be asked, our own rule decides.
  const bool whole_line = text.find('\n') == std::string::npos && judge_complete(text) == Completeness::complete;
  if (whole_line || !can_be_asked(context)) {
    if (judge_complete(text) == Completeness::incomplete) return open_line(state);
    return run_now(context, state, commands);
  }
  state.judged = ++state.ticket;
  state.judged_text = state.text;
  commands.push(command::AskPython{{kJudge, state.judged, "is_complete", completeness_question(text)}});
}

void take_judgement(const FrameContext& context, PythonInput& state, Commands& commands) {
  const Reply* reply = context.answers.reply(kJudge);
  if (state.judged == 0 || reply == nullptr || reply->ticket != state.judged) return;
  state.judged = 0;
  if (state.text != state.judged_text) return;  // typed on meanwhile: the next Enter asks again
  const auto judged = reply->error.empty() ? completeness_from_json(reply->text) : std::nullopt;
  const bool incomplete = judged.value_or(judge_complete(without_blank_end(state.text))) == Completeness::incomplete;
  if (incomplete)
    open_line(state);
  else
    run_now(context, state, commands);
}

void ask_completion(const FrameContext& context, PythonInput& state, Commands& commands) {
  const std::size_t at = std::min(state.cursor, state.text.size());
  const std::size_t line = at == 0 ? 0 : state.text.rfind('\n', at - 1) + 1;
  if (state.text.find_first_not_of(" \t", line) >= at) {
    state.edit = ConsoleEdit{state.text.substr(0, at) + "    " + state.text.substr(at), at + 4};
    return;
  }
  if (!can_be_asked(context)) {
    state.said =
        context.host.busy() ? "Python is busy; completion works again when it is idle." : "There is no Python to ask yet.";
    return;
  }
  state.completed = ++state.ticket;
  state.completed_text = state.text;
  state.completed_cursor = at;
  commands.push(
      command::AskPython{{kComplete, state.completed, "complete", completion_question(state.text, at, chosen_frame(context))}});
}

void take_completion(const FrameContext& context, PythonInput& state) {
  const Reply* reply = context.answers.reply(kComplete);
  if (state.completed == 0 || reply == nullptr || reply->ticket != state.completed) return;
  state.completed = 0;
  if (state.text != state.completed_text || state.cursor != state.completed_cursor) return;
  if (!reply->error.empty()) {
    state.said = reply->error == core::wire::kAnswerBusy ? "Python is busy; completion works again when it is idle."
                                                         : "No completion: " + reply->error;
    return;
  }
  auto completion = completion_from_json(reply->text);
  if (!completion || completion->matches.empty())
    state.said = "No completion.";
  else if (auto edit = state.completion.show(std::move(*completion), state.text, state.cursor))
    state.edit = std::move(edit);
}

void search_history(PythonInput& state) {
  if (!state.search_at) state.searched = state.text;
  const auto hit = state.history.search(state.searched, state.search_at.value_or(state.history.entries().size()));
  if (!hit) {
    state.said = "Nothing older contains \"" + state.searched + "\".";
    return;
  }
  state.search_at = hit;
  put(state, state.history.entries()[*hit]);
  state.said = "Searching for \"" + state.searched + "\"; Ctrl+R looks further back.";
}

// Keys with another meaning here than in an ordinary field.
struct PythonKeys {
  bool enter = false, escape = false, up = false, down = false, search = false;
};

// Claimed before the field is drawn, and only when they apply; handled after it, when the text has the characters typed in this
// frame.
PythonKeys claim_keys(const PythonInput& state) {
  const auto pressed = [](ImGuiKeyChord key, ImGuiInputFlags more = 0) { return ImGui::Shortcut(key, kOver | more); };
  PythonKeys keys;
  // The field owns Enter; claiming the route keeps it from handling the key.
  static_cast<void>(pressed(ImGuiKey_Enter));
  static_cast<void>(pressed(ImGuiKey_KeypadEnter));
  keys.enter = ImGui::GetIO().KeyMods == ImGuiMod_None &&
               (ImGui::IsKeyPressed(ImGuiKey_Enter, false) || ImGui::IsKeyPressed(ImGuiKey_KeypadEnter, false));
  keys.escape = pressed(ImGuiKey_Escape);
  const bool list = state.completion.open();
  const auto arrow = [&](ImGuiKey key, bool mine) {
    if (!mine) return false;
    static_cast<void>(pressed(key, ImGuiInputFlags_Repeat));
    return ImGui::GetIO().KeyMods == ImGuiMod_None && ImGui::IsKeyPressed(key);
  };
  keys.up = arrow(ImGuiKey_UpArrow, list || on_first_line(state));
  keys.down = arrow(ImGuiKey_DownArrow, list || on_last_line(state));
  keys.search = !list && pressed(ImGuiMod_Ctrl | ImGuiKey_R);
  return keys;
}

void act_on(const PythonKeys& keys, const FrameContext& context, PythonInput& state, Commands& commands) {
  const bool tabbed = std::exchange(state.tab_pressed, false);
  if (keys.enter || keys.escape || tabbed) state.said.clear();
  CompletionList& list = state.completion;
  if (list.open()) {
    if (keys.up) list.move(-1);
    if (keys.down) list.move(1);
    if (keys.enter || tabbed) state.edit = list.take(state.text, state.cursor);
    if (keys.escape) list.close();
    return;
  }
  if (keys.enter) enter(context, state, commands);
  if (tabbed) ask_completion(context, state, commands);
  if (keys.search) search_history(state);
  std::optional<std::string> recalled;
  if (keys.up) recalled = state.history.older(state.text);
  if (keys.down) recalled = state.history.newer();
  if (recalled) put(state, std::move(*recalled));
}

void draw_prompts(const FrameContext& context, const PythonInput& state) {
  const std::size_t lines = shown_lines(state);
  ImGui::BeginGroup();
  ImGui::AlignTextToFramePadding();
  draw_text(">>>", context.theme.dim);
  for (std::size_t i = 1; i < lines; ++i) {
    ImGui::SetCursorPosY(ImGui::GetCursorPosY() - ImGui::GetStyle().ItemSpacing.y);
    draw_text("...", context.theme.dim);
  }
  ImGui::EndGroup();
}

void draw_hint(const FrameContext& context) {
  const ImVec2 padding = ImGui::GetStyle().FramePadding, from = ImGui::GetItemRectMin(), to = ImGui::GetItemRectMax();
  const float room = to.x - from.x - padding.x * 2;
  const auto at_stop = console_frame_hint(context.host);
  const auto [whole, shorter, least] = console_hint(context.host);
  const std::string_view hint = at_stop[0].empty() ? first_that_fits({whole, shorter, least}, room)
                                                   : first_that_fits({at_stop[0], at_stop[1], at_stop[2]}, room);
  const ImVec4 clip{from.x, from.y, to.x - padding.x, to.y};
  ImGui::GetWindowDrawList()->AddText(nullptr, 0.0F, {from.x + padding.x, from.y + padding.y},
                                      ImGui::GetColorU32(context.theme.dim), hint.data(), hint.data() + hint.size(), 0.0F, &clip);
}

}  // namespace

std::size_t shown_lines(const PythonInput& state) {
  constexpr std::size_t kMost = 8;
  return std::min(1 + static_cast<std::size_t>(std::ranges::count(state.text, '\n')), kMost);
}

void draw_python_input(const FrameContext& context, PythonInput& state, Commands& commands) {
  take_judgement(context, state, commands);
  take_completion(context, state);
  run_held_line(context, state, commands);
  const PythonKeys keys = state.active ? claim_keys(state) : PythonKeys{};
  const bool put_in = apply_edit(state);
  const ImVec2 above = ImGui::GetCursorScreenPos();
  const bool refused = context.host.console_refusal() != nullptr && !context.host.busy() && !console_needs_restart(context.host);
  ImGui::BeginDisabled(refused);
  draw_prompts(context, state);
  ImGui::SameLine();
  if (std::exchange(state.take_keyboard, false)) take_keyboard_now(kField);
  const std::string before = state.text;
  constexpr auto kFlags = ImGuiInputTextFlags_CtrlEnterForNewLine | ImGuiInputTextFlags_CallbackAlways |
                          ImGuiInputTextFlags_CallbackCompletion | ImGuiInputTextFlags_NoHorizontalScroll;
  const float height = ImGui::GetTextLineHeight() * static_cast<float>(shown_lines(state)) +
                       ImGui::GetStyle().FramePadding.y * 2;
  ImGui::InputTextMultiline(kField, &state.text, {-1, height}, kFlags, in_field, &state);
  // A field that just lost the keyboard writes its old text back, which was run already: restore.
  state.active = ImGui::IsItemActive();
  if (put_in && !state.active) state.text = before;
  if (state.text.empty() && !state.active) draw_hint(context);
  ImGui::EndDisabled();
  if (state.text != before) {
    state.said.clear();
    if (!state.edit) state.completion.follow(state.text, state.cursor);
    state.search_at.reset();
  }
  act_on(keys, context, state, commands);
  if (!state.active) state.completion.close();
  const auto clicked = draw_completion_popup(context, state.completion, {above.x + context.px(40), above.y - context.px(4)});
  if (clicked) {
    state.completion.select(*clicked);
    state.edit = state.completion.take(state.text, state.cursor);
  }
}

}  // namespace dlscope::app
