#include "app/panels/script/output_panel.h"

#include <imgui.h>

#include "app/models/text/format.h"
#include "app/panels/script/output_lines.h"
#include "app/widgets/marks.h"

namespace dlscope::app {
namespace {

void follow_newest(OutputPanelState& state, const OutputModel& output) {
  const bool at_end = ImGui::GetScrollY() >= ImGui::GetScrollMaxY() - 1;
  const bool scrolled_up = (ImGui::GetIO().MouseWheel > 0 && ImGui::IsWindowHovered()) || (state.selecting && !at_end);
  if (scrolled_up)
    state.follow = false;
  else if (at_end)
    state.follow = true;
  if (state.seen_revision != output.revision() || state.follow) {
    state.seen_revision = output.revision();
    if (state.follow) ImGui::SetScrollHereY(1.0F);
  }
}

void copy_selection(const OutputPanelState& state, const OutputModel& output) {
  if (has_selection(state)) ImGui::SetClipboardText(output.text_between(*state.selected_from, *state.selected_to).c_str());
}

void draw_context_menu(OutputPanelState& state, const OutputModel& output, Commands& commands) {
  if (!ImGui::BeginPopupContextWindow("output menu")) return;
  if (ImGui::MenuItem("Copy", "Ctrl+C", false, has_selection(state))) copy_selection(state, output);
  if (ImGui::MenuItem("Copy all")) ImGui::SetClipboardText(output.all_text().c_str());
  if (ImGui::MenuItem("Wrap long lines", nullptr, state.wrap)) state.wrap = !state.wrap;
  if (ImGui::MenuItem("Clear")) commands.push(command::ClearOutput{});
  ImGui::EndPopup();
}

// Ctrl+C copies the selection; without one it stops the script, as in a terminal.
void handle_copy_key(const FrameContext& context, const OutputPanelState& state, const OutputModel& output, Commands& commands) {
  const bool typed_selection = state.console.python.active && state.console.python.selecting && !context.host.busy();
  if (typed_selection || (!has_selection(state) && !context.host.can_stop())) return;
  constexpr auto kFlags = ImGuiInputFlags_RouteGlobal | ImGuiInputFlags_RouteOverFocused | ImGuiInputFlags_RouteOverActive;
  if (!ImGui::IsWindowFocused(ImGuiFocusedFlags_ChildWindows) || !ImGui::Shortcut(ImGuiMod_Ctrl | ImGuiKey_C, kFlags)) return;
  if (has_selection(state))
    copy_selection(state, output);
  else
    commands.push(command::InterruptScript{});
}

void draw_way_back(const FrameContext& context, OutputPanelState& state) {
  if (state.follow || ImGui::GetScrollMaxY() <= 0) return;
  const char* label = "Newest";
  const ImVec2 size{ImGui::CalcTextSize(label).x + context.px(16), ImGui::GetFrameHeight()};
  ImGui::SetCursorScreenPos({ImGui::GetWindowPos().x + ImGui::GetWindowWidth() - size.x - context.px(18),
                             ImGui::GetWindowPos().y + ImGui::GetWindowHeight() - size.y - context.px(8)});
  if (ImGui::Button(label, size)) state.follow = true;
  explain("New lines do not move what you read. This goes back to the newest.");
}

}  // namespace

void draw_output_panel(const FrameContext& context, OutputPanelState& state, const OutputModel& output, Commands& commands) {
  state.lines_drawn = 0;
  follow_waiting_script(context, state.console);
  if (ImGui::Begin(title_of(ActionContext::output))) {
    handle_copy_key(context, state, output, commands);
    draw_output_find(context, state, output);
    if (output.dropped_lines() > 0)
      draw_text(counted(output.dropped_lines(), "older line was", "older lines were") + " dropped.", context.theme.dim);
    ImGui::PushFont(context.fonts.mono, 0.0F);
    const float input_height = console_input_height(state.console, context.host);
    ImGui::PopFont();
    if (ImGui::BeginChild("lines", {0, -input_height}, ImGuiChildFlags_None,
                          state.wrap ? ImGuiWindowFlags_None : ImGuiWindowFlags_HorizontalScrollbar)) {
      draw_output_lines(context, state, output, commands);
      follow_newest(state, output);
      draw_context_menu(state, output, commands);
      draw_way_back(context, state);
    }
    ImGui::EndChild();
    draw_console_input(context, state.console, output, commands);
  } else {
    state.console.python.active = state.console.reply.active = false;
  }
  ImGui::End();
}

}  // namespace dlscope::app
