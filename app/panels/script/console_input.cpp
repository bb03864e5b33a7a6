#include "app/panels/script/console_input.h"

#include <imgui.h>
#include <imgui_internal.h>
#include <misc/cpp/imgui_stdlib.h>

#include <algorithm>
#include <utility>

#include "app/models/host/console_hint.h"
#include "app/models/text/fitted_text.h"
#include "app/models/text/format.h"
#include "app/models/text/python_text.h"
#include "app/widgets/marks.h"
#include "core/wire/messages.h"

namespace dlscope::app {
namespace {

constexpr const char* kJudge = "console.complete?";
constexpr const char* kComplete = "console.completion";
constexpr std::size_t kMaxShownLines = 8;
constexpr int kMaxShownMatches = 9;
constexpr std::size_t kMaxOfPrompt = 60;   // characters
constexpr float kMaxPromptWidth = 0.6F;    // part of the line's width
constexpr double kStillTyping = 1;          // seconds after the last typed character
constexpr auto kOver = ImGuiInputFlags_RouteGlobal | ImGuiInputFlags_RouteOverFocused | ImGuiInputFlags_RouteOverActive;

std::size_t line_count(const std::string& text) { return 1 + static_cast<std::size_t>(std::ranges::count(text, '\n')); }
bool on_first_line(const ConsoleInputState& s) { return s.text.find('\n') >= std::min(s.cursor, s.text.size()); }
bool on_last_line(const ConsoleInputState& s) {
  return s.text.find('\n', std::min(s.cursor, s.text.size())) == std::string::npos;
}

bool can_be_asked(const FrameContext& context) {
  return context.host.python_rests();
}
// The chosen frame of a stop, whose names the console uses.
std::optional<std::uint32_t> chosen_frame(const FrameContext& context) {
  const StopView* stop = context.host.frames();
  return stop != nullptr ? std::optional(stop->frame) : std::nullopt;
}

void put(ConsoleInputState& state, std::string text) {
  const std::size_t end = text.size();
  state.edit = ConsoleEdit{std::move(text), end};
}

// ImGui's callback: reads the cursor, and makes edits that were decided outside of the field.
int in_field(ImGuiInputTextCallbackData* data) {
  auto& state = *static_cast<ConsoleInputState*>(data->UserData);
  if (data->EventFlag == ImGuiInputTextFlags_CallbackCompletion) {
    state.tab_pressed = true;
    return 0;
  }
  if (state.edit) {
    data->DeleteChars(0, data->BufTextLen);
    data->InsertChars(0, state.edit->text.c_str());
    data->CursorPos = data->SelectionStart = data->SelectionEnd = static_cast<int>(state.edit->cursor);
    state.edit.reset();
  }
  state.cursor = static_cast<std::size_t>(data->CursorPos);
  state.selecting = data->HasSelection();
  return 0;
}

// Makes a pending edit while the field has no keyboard. True: it was made.
bool apply_edit_outside(ConsoleInputState& state) {
  if (!state.edit || state.active) return false;
  state.text = state.edit->text;
  state.cursor = state.edit->cursor;
  state.edit.reset();
  state.take_keyboard = true;
  return true;
}

// An empty last line ends a block; indentation that the editor put there is ignored.
std::string without_blank_end(const std::string& text) {
  const std::size_t line = text.rfind('\n');
  if (line == std::string::npos || text.find_first_not_of(" \t", line + 1) != std::string::npos) return text;
  return text.substr(0, line + 1);
}

void run_now(ConsoleInputState& state, Commands& commands) {
  std::string text = without_blank_end(state.text);
  while (text.ends_with('\n')) text.pop_back();
  if (state.history.add(text)) commands.push(command::KeepHistory{text});
  state.history.stop_walking();
  commands.push(command::RunText{std::move(text)});
  state.judged = 0;
  put(state, "");
}

void open_line(ConsoleInputState& state) {
  const std::size_t at = std::min(state.cursor, state.text.size());
  const std::size_t start = at == 0 ? 0 : state.text.rfind('\n', at - 1) + 1;
  const std::string line = "\n" + next_indent(std::string_view(state.text).substr(start, at - start), "    ");
  state.edit = ConsoleEdit{state.text.substr(0, at) + line + state.text.substr(at), at + line.size()};
  state.judged = 0;
}

void enter(const FrameContext& context, ConsoleInputState& state, Commands& commands) {
  if (console_needs_restart(context.host)) return;  // the line stays; draw_restart() says why
  if (state.text.find_first_not_of(" \t\n") == std::string::npos) return put(state, "");
  if (!on_last_line(state)) return open_line(state);
  const std::string text = without_blank_end(state.text);
  // A complete single line needs no question. When Python cannot be asked, our own rule decides.
  const bool whole_line = text.find('\n') == std::string::npos && judge_complete(text) == Completeness::complete;
  if (whole_line || !can_be_asked(context)) {
    if (judge_complete(text) == Completeness::incomplete) return open_line(state);
    return run_now(state, commands);
  }
  state.judged = ++state.ticket;
  state.judged_text = state.text;
  commands.push(command::AskPython{{kJudge, state.judged, "is_complete", completeness_question(text)}});
}

void take_judgement(const FrameContext& context, ConsoleInputState& state, Commands& commands) {
  const Reply* reply = context.answers.reply(kJudge);
  if (state.judged == 0 || reply == nullptr || reply->ticket != state.judged) return;
  state.judged = 0;
  if (state.text != state.judged_text) return;  // typed on meanwhile: the next Enter asks again
  const auto judged = reply->error.empty() ? completeness_from_json(reply->text) : std::nullopt;
  const bool incomplete = judged.value_or(judge_complete(without_blank_end(state.text))) == Completeness::incomplete;
  if (incomplete)
    open_line(state);
  else
    run_now(state, commands);
}

void ask_completion(const FrameContext& context, ConsoleInputState& state, Commands& commands) {
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

void take_completion(const FrameContext& context, ConsoleInputState& state) {
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

void search_history(ConsoleInputState& state) {
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
PythonKeys claim_keys(const ConsoleInputState& state) {
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

void act_on(const PythonKeys& keys, const FrameContext& context, ConsoleInputState& state, Commands& commands) {
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

// The list of matches in pixels: as wide as what it shows, at most `room`. A match that does not fit is cut.
struct MatchColumns {
  float margin = 0, text = 0, kind_at = 0, width = 0;
};

MatchColumns match_columns(const FrameContext& context, const CompletionList& list, int first, int rows, float room) {
  float text = 0, kind = 0;
  for (int i = first; i < first + rows; ++i) {
    const Completion::Match& match = list.shown(static_cast<std::size_t>(i));
    text = std::max(text, text_width(match.text));
    kind = std::max(kind, text_width(match.kind));
  }
  const float margin = context.px(10), gap = context.px(16);
  text = std::min(text, std::max(room - kind - gap - 2 * margin, context.px(60)));
  const float width = std::max(text + gap + kind + 2 * margin, std::min(room, context.px(320)));
  return {margin, text, width - margin - kind, width};
}

void draw_matches(const FrameContext& context, ConsoleInputState& state, const ImVec2& above) {
  CompletionList& list = state.completion;
  if (!list.open()) return;
  const int rows = std::min(static_cast<int>(list.size()), kMaxShownMatches);
  const int selected = static_cast<int>(list.selected());
  const int first = std::clamp(selected - rows / 2, 0, static_cast<int>(list.size()) - rows);
  const float room = ImGui::GetWindowPos().x + ImGui::GetWindowWidth() - above.x;
  const MatchColumns columns = match_columns(context, list, first, rows, room);
  ImGui::SetNextWindowPos(above, ImGuiCond_Always, {0, 1});
  ImGui::SetNextWindowSize({columns.width, 0});
  constexpr auto kFlags = ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoDocking |
                          ImGuiWindowFlags_NoFocusOnAppearing | ImGuiWindowFlags_NoNav | ImGuiWindowFlags_NoSavedSettings |
                          ImGuiWindowFlags_AlwaysAutoResize;
  if (ImGui::Begin("##completion", nullptr, kFlags)) {
    ImGui::BringWindowToDisplayFront(ImGui::GetCurrentWindow());
    for (int i = first; i < first + rows; ++i) {
      const Completion::Match& match = list.shown(static_cast<std::size_t>(i));
      ImGui::PushID(i);
      if (ImGui::Selectable("##match", i == selected, ImGuiSelectableFlags_SpanAllColumns)) {
        list.select(static_cast<std::size_t>(i));
        state.edit = list.take(state.text, state.cursor);
        ImGui::PopID();
        break;
      }
      const CutText shown = fit_text(match.text, columns.text, text_width);
      if (shown.cut) explain(match.text);
      ImGui::SameLine(columns.margin);
      draw_text(shown, context.theme.text);
      ImGui::SameLine(columns.kind_at);
      draw_text(match.kind, context.theme.dim);
      ImGui::PopID();
    }
    if (list.open() && static_cast<int>(list.size()) > rows)
      draw_text(std::to_string(list.selected() + 1) + " of " + std::to_string(list.size()) + (list.cut() ? " and more" : ""),
                context.theme.dim);
  }
  ImGui::End();
}

void draw_prompts(const FrameContext& context, const ConsoleInputState& state) {
  const std::size_t lines = std::min(line_count(state.text), kMaxShownLines);
  ImGui::BeginGroup();
  ImGui::AlignTextToFramePadding();
  draw_text(">>>", context.theme.dim);
  for (std::size_t i = 1; i < lines; ++i) {
    ImGui::SetCursorPosY(ImGui::GetCursorPosY() - ImGui::GetStyle().ItemSpacing.y);
    draw_text("...", context.theme.dim);
  }
  ImGui::EndGroup();
}

// Drawn inside the empty field.
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

// Above the field: no new Python starts by itself, because the names that a line means are gone.
void draw_restart(const FrameContext& context, Commands& commands) {
  constexpr const char* kLabel = "Restart Python";
  const float room = ImGui::GetContentRegionAvail().x - button_width(kLabel) - ImGui::GetStyle().ItemSpacing.x;
  const std::string_view words =
      first_that_fits({"Python has ended, and its names with it. To type here:", "Python has ended.", "Ended."}, room);
  if (!words.empty()) {
    draw_text(words, context.theme.warn);
    ImGui::SameLine();
  }
  if (small_button(kLabel)) commands.push(command::RestartHost{});
  explain("Starts a new Python, without any names. What is typed here stays.");
}

void draw_python(const FrameContext& context, ConsoleInputState& state, Commands& commands) {
  take_judgement(context, state, commands);
  take_completion(context, state);
  const PythonKeys keys = state.active ? claim_keys(state) : PythonKeys{};
  const bool put_in = apply_edit_outside(state);
  const ImVec2 above = ImGui::GetCursorScreenPos();
  ImGui::BeginDisabled(context.host.console_refusal() != nullptr && !console_needs_restart(context.host));
  draw_prompts(context, state);
  ImGui::SameLine();
  if (std::exchange(state.take_keyboard, false)) ImGui::SetKeyboardFocusHere();
  const std::string before = state.text;
  constexpr auto kFlags = ImGuiInputTextFlags_CtrlEnterForNewLine | ImGuiInputTextFlags_CallbackAlways |
                          ImGuiInputTextFlags_CallbackCompletion | ImGuiInputTextFlags_NoHorizontalScroll;
  const float height = ImGui::GetTextLineHeight() * static_cast<float>(std::min(line_count(state.text), kMaxShownLines)) +
                       ImGui::GetStyle().FramePadding.y * 2;
  ImGui::InputTextMultiline("##input", &state.text, {-1, height}, kFlags, in_field, &state);
  // A field that just lost the keyboard writes its old text back, which was run already: restore.
  if (put_in) state.text = before;
  state.active = ImGui::IsItemActive();
  if (state.text.empty() && !state.active) draw_hint(context);
  ImGui::EndDisabled();
  if (state.text != before) {
    state.said.clear();
    if (!state.edit) state.completion.follow(state.text, state.cursor);
    state.search_at.reset();
  }
  act_on(keys, context, state, commands);
  if (!state.active) state.completion.close();
  draw_matches(context, state, {above.x + context.px(40), above.y - context.px(4)});
}

// The last printed line, as the question of an input(); "" when it is empty.
std::string prompt_of(const OutputModel& output) {
  if (output.size() == 0) return {};
  const OutputLine& last = output.line(output.size() - 1);
  const std::string_view text = last.kind == OutputKind::text ? std::string_view(last.text) : std::string_view();
  const std::size_t end = text.find_last_not_of(' ');
  return end == std::string_view::npos ? std::string() : shortened(text.substr(0, end + 1), kMaxOfPrompt);
}

// Overwritten, because it may be a password.
void erase(std::string& text) {
  std::ranges::fill(text, '\0');
  text.clear();
}

// What was typed for a secret line is neither shown nor offered when that is no longer waited for; nothing is, when the run is over.
void forget_reply(const FrameContext& context, ConsoleInputState& state) {
  const bool secret = !context.host.echoes();
  const bool secret_over = std::exchange(state.was_secret, secret) && !secret;
  const bool run_over = !context.host.busy() && context.host.stop() == nullptr;
  if (state.reply.empty() || (!secret_over && !run_over)) return;
  erase(state.reply);
  state.reply_erased = context.host.busy();
}

void draw_reply(const FrameContext& context, ConsoleInputState& state, const OutputModel& output, Commands& commands) {
  const bool waits = context.host.waits_for_line(), secret = !context.host.echoes();
  const bool erased = std::exchange(state.reply_erased, false);
  if (erased && state.active) {
    ImGui::ClearActiveID();  // the active field has the text, too
    state.take_keyboard = true;
  }
  ImGui::AlignTextToFramePadding();
  state.prompt = waits ? prompt_of(output) : std::string();
  if (ImGui::CalcTextSize(state.prompt.c_str()).x > ImGui::GetContentRegionAvail().x * kMaxPromptWidth) state.prompt.clear();
  if (state.prompt.empty()) state.prompt = !waits ? "input" : secret ? "secret" : "answer";
  draw_text(state.prompt, waits ? context.theme.accent : context.theme.dim);
  ImGui::SameLine();
  if (std::exchange(state.take_keyboard, false)) ImGui::SetKeyboardFocusHere();
  ImGui::SetNextItemWidth(-1);
  const float room = ImGui::GetContentRegionAvail().x - ImGui::GetStyle().FramePadding.x * 2;
  const std::string_view hint =
      !waits   ? first_that_fits({"For the running script, Enter sends it", "For the running script", "For input()"}, room)
      : secret ? first_that_fits({"The script waits for a line that is not shown, as for a password",
                                  "The script waits; what is typed is not shown", "Not shown"},
                                 room)
               : first_that_fits({"The script waits for a line; Enter sends it", "The script waits for a line", "A line"}, room);
  const auto flags = ImGuiInputTextFlags_EnterReturnsTrue | (secret ? ImGuiInputTextFlags_Password : 0);
  if (ImGui::InputTextWithHint("##reply", hint.data(), &state.reply, flags)) {
    commands.push(command::SendInput{state.reply + "\n"});
    erase(state.reply);
    ImGui::SetKeyboardFocusHere(-1);
  }
  if (erased) erase(state.reply);  // a field that just lost the keyboard writes its old text back
  state.active = ImGui::IsItemActive();
}

}  // namespace

float console_input_height(const ConsoleInputState& state, const HostSession& host) {
  const auto lines = static_cast<float>(host.busy() ? 1 : std::min(line_count(state.text), kMaxShownLines));
  const ImGuiStyle& style = ImGui::GetStyle();
  float height = lines * ImGui::GetTextLineHeight() + style.FramePadding.y * 2 + style.ItemSpacing.y;
  if (!state.said.empty()) height += ImGui::GetTextLineHeightWithSpacing();
  if (console_needs_restart(host)) height += ImGui::GetFrameHeightWithSpacing();
  return height;
}

// Not while something is typed elsewhere: the rest of it would be sent to the script. Taken when that is over.
void follow_waiting_script(const FrameContext& context, ConsoleInputState& state) {
  forget_reply(context, state);
  const double now = ImGui::GetTime();
  if (!ImGui::GetIO().InputQueueCharacters.empty()) state.typed_at = now;
  const bool waits = context.host.waits_for_line();
  if (std::exchange(state.was_waiting, waits) != waits) state.wants_keyboard = waits;
  state.next_frame_in = 0;
  state.wants_keyboard = state.wants_keyboard && !state.active;
  if (!state.wants_keyboard) return;
  const double left = state.typed_at ? *state.typed_at + kStillTyping - now : 0;
  if (left > 0) {
    state.next_frame_in = static_cast<int>(left * 1000) + 1;
    return;
  }
  state.wants_keyboard = false;
  state.take_keyboard = true;
  ImGui::SetWindowFocus(title_of(ActionContext::output));  // it may be behind another tab
}

void draw_console_input(const FrameContext& context, ConsoleInputState& state, const OutputModel& output, Commands& commands) {
  const bool busy = context.host.busy();
  if (busy != state.was_busy) {
    // Another field replaces this one and takes over the keyboard.
    if (state.active) {
      ImGui::ClearActiveID();
      state.take_keyboard = true;
    }
    state.active = false;
    state.completion.close();
    state.was_busy = busy;
  }
  ImGui::PushFont(context.fonts.mono, 0.0F);
  if (console_needs_restart(context.host)) draw_restart(context, commands);
  if (!state.said.empty()) draw_text(state.said, context.theme.dim);
  if (busy)
    draw_reply(context, state, output, commands);
  else
    draw_python(context, state, commands);
  ImGui::PopFont();
}

}  // namespace dlscope::app
