#include "app/panels/script/find_bar.h"

#include <TextEditor.h>
#include <fmt/core.h>
#include <imgui.h>
#include <misc/cpp/imgui_stdlib.h>

#include <charconv>

#include "app/models/actions/key_hints.h"
#include "app/models/text/format.h"
#include "app/models/text/no_matches.h"
#include "app/panels/script/script_editing.h"
#include "app/panels/script/script_panel.h"
#include "app/widgets/marks.h"

namespace dlscope::app {
namespace {

using Shown = FindBarState::Shown;
using Then = FindBarState::Then;
constexpr std::size_t kLongestTaken = 200;  // bytes: a longer selection does not become the pattern

void close_bar(ScriptPanelState& state) {
  state.find.shown = Shown::nothing;
  state.focus_editor = true;
  if (state.editor->HasSquiggles()) state.editor->ClearSquiggles();
}

void set_anchor(ScriptPanelState& state) {
  const auto at = state.editor->GetMainCursorSelection().start;
  state.find.anchor_line = static_cast<std::uint32_t>(at.line);
  state.find.anchor_column = static_cast<std::uint32_t>(at.index);
}

void ask(ScriptPanelState& state, Then then, Commands& commands) {
  FindBarState& find = state.find;
  find.asked = find.query;
  find.asked_revision = state.revision;
  find.then = then;
  if (then != Then::stay) find.said.clear();
  if (find.query.pattern.empty()) {
    find.waiting = false;
    find.found = {};
    if (state.editor->HasSquiggles()) state.editor->ClearSquiggles();
    return;
  }
  find.waiting = true;
  commands.push(command::FindInScript{find.query, current_text(state), state.revision});
}

bool up_to_date(const ScriptPanelState& state) {
  return !state.find.waiting && state.find.found_revision == state.revision && state.find.asked == state.find.query;
}

// matches.size(): the selection is not a match.
std::size_t selected_match(const ScriptPanelState& state) {
  const auto& matches = state.find.found.matches;
  const auto at = state.editor->GetMainCursorSelection();
  const std::size_t i =
      match_from(matches, static_cast<std::uint32_t>(at.start.line), static_cast<std::uint32_t>(at.start.index));
  const bool same = i < matches.size() && at.start.line == at.end.line && matches[i].line == at.start.line &&
                    matches[i].first == at.start.index && matches[i].last == at.end.index;
  return same ? i : matches.size();
}

void step(ScriptPanelState& state, Then then) {
  const auto& matches = state.find.found.matches;
  if (matches.empty()) return;
  const auto at = state.editor->GetMainCursorSelection();
  const auto line = [](std::size_t v) { return static_cast<std::uint32_t>(v); };
  std::size_t i = 0;
  if (then == Then::from_anchor)
    i = match_from(matches, state.find.anchor_line, state.find.anchor_column);
  else if (then == Then::next)
    i = match_from(matches, line(at.end.line), line(at.end.index));
  else if (then == Then::previous)
    i = match_before(matches, line(at.start.line), line(at.start.index));
  else
    return;
  select_match(*state.editor, matches[i]);
}

void go(ScriptPanelState& state, Then then, Commands& commands) {
  if (up_to_date(state))
    step(state, then);
  else
    ask(state, then, commands);
}

void replace_one(ScriptPanelState& state, Commands& commands) {
  const std::size_t i = up_to_date(state) ? selected_match(state) : state.find.found.matches.size();
  if (i == state.find.found.matches.size()) return go(state, Then::next, commands);
  const TextMatch match = state.find.found.matches[i];
  const std::string line = state.editor->GetLineText(match.line);
  state.editor->ReplaceSectionText({match.line, match.first}, {match.line, match.last},
                                   replacement_for(line, match, state.find.query, state.find.replacement));
  ask(state, Then::next, commands);
}

void toggle(const FrameContext& context, const char* label, bool& on, const char* meaning) {
  ImGui::PushStyleColor(ImGuiCol_Button, ImGui::GetStyleColorVec4(on ? ImGuiCol_ButtonActive : ImGuiCol_Button));
  ImGui::PushStyleColor(ImGuiCol_Text, on ? context.theme.text : context.theme.dim);
  if (ImGui::Button(label)) on = !on;
  ImGui::PopStyleColor(2);
  explain(meaning);
}

std::string count_text(const ScriptPanelState& state) {
  const FindBarState& find = state.find;
  if (!find.said.empty()) return find.said;
  if (find.query.pattern.empty()) return {};
  if (!find.found.error.empty()) return find.found.error;
  if (!up_to_date(state)) return "...";
  const std::size_t count = find.found.matches.size(), i = selected_match(state);
  std::string out = count == 0   ? kNoMatches
                    : i == count ? grouped(count) + " found"
                                 : fmt::format("{} of {}", grouped(i + 1), grouped(count));
  if (!find.found.left_out.empty()) out += "; " + find.found.left_out;
  return out;
}

// In a wide panel leaves room for what is beside the field; in a narrow one takes the whole line.
void set_field_width(const FrameContext& context, float beside) {
  const float room = ImGui::GetContentRegionAvail().x;
  ImGui::SetNextItemWidth(room - beside > context.px(110) ? std::min(room - beside, context.px(320)) : room);
}

void beside_if_room(float width) {
  const float end = ImGui::GetWindowPos().x + ImGui::GetWindowWidth() - ImGui::GetStyle().WindowPadding.x;
  if (ImGui::GetItemRectMax().x + ImGui::GetStyle().ItemInnerSpacing.x + width <= end)
    ImGui::SameLine(0, ImGui::GetStyle().ItemInnerSpacing.x);
}

bool escape_pressed() { return ImGui::IsItemDeactivated() && ImGui::IsKeyPressed(ImGuiKey_Escape, false); }

void draw_pattern(const FrameContext& context, ScriptPanelState& state, Commands& commands) {
  FindBarState& find = state.find;
  if (find.take_keyboard) ImGui::SetKeyboardFocusHere();
  find.take_keyboard = false;
  set_field_width(context, context.px(250));
  const std::string before = find.query.pattern;
  constexpr auto kFlags = ImGuiInputTextFlags_EnterReturnsTrue | ImGuiInputTextFlags_AutoSelectAll;
  if (ImGui::InputTextWithHint("##find", "Find", &find.query.pattern, kFlags)) {
    go(state, ImGui::GetIO().KeyShift ? Then::previous : Then::next, commands);
    find.take_keyboard = true;
  }
  if (escape_pressed()) {
    find.query.pattern = before;  // otherwise Escape would revert what was typed
    return close_bar(state);
  }
  beside_if_room(context.px(28));
  toggle(context, "Aa", find.query.match_case, "Capital and small letters differ");
  beside_if_room(context.px(28));
  toggle(context, "W", find.query.whole_word, "Whole words only");
  beside_if_room(context.px(28));
  toggle(context, ".*", find.query.regex, "A pattern (regular expression); $1 in the replacement is its first group");
  beside_if_room(context.px(24));
  if (ImGui::Button("<##previous")) go(state, Then::previous, commands);
  explain([&] { return "The one before: " + keys_or_title(context.keys, ActionId::editor_find_previous) + ", Shift+Enter"; });
  beside_if_room(context.px(24));
  if (ImGui::Button(">##next")) go(state, Then::next, commands);
  explain([&] { return "The next one: " + keys_or_title(context.keys, ActionId::editor_find_next) + ", Enter"; });
  const std::string count = count_text(state);
  beside_if_room(ImGui::CalcTextSize(count.c_str()).x + context.px(30));
  ImGui::AlignTextToFramePadding();
  const bool bad = !find.found.error.empty() || count == kNoMatches;
  draw_text(count, bad ? context.theme.bad : context.theme.dim);
  ImGui::SameLine(0, ImGui::GetStyle().ItemInnerSpacing.x);
  if (ImGui::Button("x##close find")) close_bar(state);
  explain("Escape");
}

void draw_replacement(const FrameContext& context, ScriptPanelState& state, Commands& commands) {
  FindBarState& find = state.find;
  set_field_width(context, context.px(250));
  const std::string before = find.replacement;
  if (ImGui::InputTextWithHint("##replacement", "Replace with", &find.replacement, ImGuiInputTextFlags_EnterReturnsTrue)) {
    replace_one(state, commands);
    ImGui::SetKeyboardFocusHere(-1);
  }
  if (escape_pressed()) {
    find.replacement = before;
    return close_bar(state);
  }
  beside_if_room(context.px(70));
  if (ImGui::Button("Replace")) replace_one(state, commands);
  beside_if_room(context.px(90));
  if (ImGui::Button("Replace all") && !find.query.pattern.empty()) {
    find.said.clear();
    commands.push(command::ReplaceInScript{find.query, find.replacement, current_text(state), state.revision});
  }
  explain("One step of Undo");
}

void draw_go_to_line(const FrameContext& context, ScriptPanelState& state) {
  FindBarState& find = state.find;
  ImGui::AlignTextToFramePadding();
  draw_text("Go to line", context.theme.dim);
  ImGui::SameLine();
  if (find.take_keyboard) ImGui::SetKeyboardFocusHere();
  find.take_keyboard = false;
  ImGui::SetNextItemWidth(context.px(90));
  constexpr auto kFlags =
      ImGuiInputTextFlags_EnterReturnsTrue | ImGuiInputTextFlags_CharsDecimal | ImGuiInputTextFlags_AutoSelectAll;
  const bool entered = ImGui::InputText("##line", &find.line, kFlags);
  const bool escaped = escape_pressed();
  ImGui::SameLine();
  draw_text(fmt::format("of {}", grouped(state.editor->GetLineCount())), context.theme.dim);
  std::size_t line = 0;
  std::from_chars(find.line.data(), find.line.data() + find.line.size(), line);
  if (entered && line > 0) go_to_line(*state.editor, line - 1);
  if (entered || escaped) close_bar(state);
}

}  // namespace

void open_find_bar(ScriptPanelState& state, Shown what) {
  FindBarState& find = state.find;
  find.shown = what;
  find.take_keyboard = true;
  find.said.clear();
  if (what == Shown::go_to_line) {
    find.line = std::to_string(state.editor->GetMainCursorPosition().line + 1);
    return;
  }
  set_anchor(state);
  const auto at = state.editor->GetMainCursorSelection();
  if (at.start != at.end && at.start.line == at.end.line) {
    const std::string selected = state.editor->GetSectionText(at);
    if (selected.size() <= kLongestTaken) find.query.pattern = selected;
  }
  find.asked = {};
  find.found_revision = 0;
}

void draw_find_bar(const FrameContext& context, ScriptPanelState& state, Commands& commands) {
  FindBarState& find = state.find;
  if (find.shown == Shown::nothing) return;
  ImGui::PushID("find bar");
  if (find.shown == Shown::go_to_line) draw_go_to_line(context, state);
  if (find.finding()) draw_pattern(context, state, commands);
  if (find.shown == Shown::replace) draw_replacement(context, state, commands);
  ImGui::PopID();
  if (!find.finding()) return;
  if (find.query != find.asked)
    ask(state, Then::from_anchor, commands);
  else if (find.asked_revision != state.revision)
    ask(state, Then::stay, commands);
}

void handle_find_actions(const FrameContext& context, ScriptPanelState& state, Commands& commands) {
  if (context.asked(ActionId::editor_find)) open_find_bar(state, Shown::find);
  if (context.asked(ActionId::editor_replace)) open_find_bar(state, Shown::replace);
  if (context.asked(ActionId::editor_go_to_line)) open_find_bar(state, Shown::go_to_line);
  if (context.asked(ActionId::editor_find_next)) go(state, Then::next, commands);
  if (context.asked(ActionId::editor_find_previous)) go(state, Then::previous, commands);
}

void take_found(ScriptPanelState& state, std::uint64_t revision, const FindQuery& query, FindResult found) {
  FindBarState& find = state.find;
  if (query != find.asked || revision != find.asked_revision) return;
  find.waiting = false;
  find.found = std::move(found);
  find.found_revision = revision;
  if (state.revision != revision) return;  // the text changed meanwhile: the next frame asks again
  step(state, find.then);
  find.then = Then::stay;
  if (find.finding()) paint_matches(*state.editor, find.found, state.found_colour);
}

void take_replacements(ScriptPanelState& state, std::uint64_t revision, const ReplacePlan& plan) {
  FindBarState& find = state.find;
  if (!plan.error.empty()) {
    find.said = plan.error;
    return;
  }
  if (state.revision != revision) {
    find.said = "The text changed meanwhile; nothing was replaced.";
    return;
  }
  apply_replacements(*state.editor, plan);
  find.said = grouped(plan.count) + " replaced" + (plan.left_out.empty() ? "." : "; " + plan.left_out + ".");
}

}  // namespace dlscope::app
