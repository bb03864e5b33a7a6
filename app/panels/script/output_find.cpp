#include "app/panels/script/output_find.h"

#include <fmt/format.h>
#include <imgui.h>
#include <misc/cpp/imgui_stdlib.h>

#include <algorithm>
#include <utility>

#include "app/models/text/characters.h"
#include "app/models/text/format.h"
#include "app/models/text/text_search.h"
#include "app/panels/script/output_panel.h"
#include "app/widgets/marks.h"
#include "app/widgets/typed_ahead.h"

namespace dlscope::app {
namespace {

std::size_t byte_of(std::string_view text, std::uint32_t character) {
  std::size_t at = 0;
  for (; character > 0 && at < text.size(); --character) {
    do ++at;
    while (at < text.size() && !starts_character(text[at]));
  }
  return at;
}

std::uint32_t character_of(std::string_view text, std::size_t byte) {
  return static_cast<std::uint32_t>(std::ranges::count_if(text.substr(0, byte), [](char c) { return starts_character(c); }));
}

// From the selection on; without one, from the newest line backwards or the oldest on.
void go(OutputPanelState& state, const OutputModel& output, bool backwards) {
  OutputFind& find = state.find;
  const FindResult found = find_all(output.all_text(), {.pattern = find.pattern});
  find.said = found.matches.empty() ? "no match" : std::string();
  if (found.matches.empty()) return;
  std::uint32_t line = 0, column = 0;
  if (state.selected_from && state.selected_to && std::max(*state.selected_from, *state.selected_to).line >= output.first_line()) {
    const OutputPlace at = backwards ? std::min(*state.selected_from, *state.selected_to) : std::max(*state.selected_from, *state.selected_to);
    line = static_cast<std::uint32_t>(at.line < output.first_line() ? 0 : at.line - output.first_line());
    if (line < output.size()) column = character_of(output.line(line).text, at.byte);
  }
  const std::size_t match = backwards ? match_before(found.matches, line, column) : match_from(found.matches, line, column);
  const TextMatch& here = found.matches[match];
  const std::string& text = output.line(here.line).text;
  state.selected_from = OutputPlace{output.first_line() + here.line, byte_of(text, here.first)};
  state.selected_to = OutputPlace{output.first_line() + here.line, byte_of(text, here.last)};
  state.follow = false;
  find.shown_line = here.line;
  find.said = fmt::format("{} of {}", grouped(match + 1), counted(found.matches.size(), "match", "matches"));
}

bool find_key_pressed() {
  constexpr auto kFlags = ImGuiInputFlags_RouteGlobal | ImGuiInputFlags_RouteOverFocused | ImGuiInputFlags_RouteOverActive;
  return ImGui::IsWindowFocused(ImGuiFocusedFlags_ChildWindows) && ImGui::Shortcut(ImGuiMod_Ctrl | ImGuiKey_F, kFlags);
}

}  // namespace

void draw_output_find(const FrameContext& context, OutputPanelState& state, const OutputModel& output) {
  OutputFind& find = state.find;
  if (find_key_pressed()) find.open = find.take_keyboard = true;
  if (!find.open) return;
  if (std::exchange(find.take_keyboard, false)) take_keyboard_now("##find");
  ImGui::SetNextItemWidth(std::min(context.px(250), ImGui::GetContentRegionAvail().x));
  const bool entered = ImGui::InputTextWithHint("##find", "Find in the output", &find.pattern, ImGuiInputTextFlags_EnterReturnsTrue);
  const bool escaped = ImGui::IsItemDeactivated() && ImGui::IsKeyPressed(ImGuiKey_Escape, false);
  explain("Enter: the next one, Shift+Enter: the one before, Escape: close.");
  if (entered && !find.pattern.empty()) {
    go(state, output, ImGui::GetIO().KeyShift);
    find.take_keyboard = true;
  }
  ImGui::SameLine();
  if (small_button("×##close find") || escaped) find.open = false;
  explain("Escape");
  ImGui::SameLine();
  draw_text(find.said, context.theme.dim);
}

}  // namespace dlscope::app
