#include "app/panels/sheets/help_card.h"

#include <algorithm>

#include "app/models/actions/view_help.h"
#include "app/panels/action_keys.h"
#include "app/panels/sheets/key_sheet.h"
#include "app/widgets/marks.h"

namespace dlscope::app {
namespace {

constexpr float kWidthInEm = 34;
constexpr int kPlacingFrames = 3;

// F1 on the same thing again closes the card.
void toggle_card(HelpCardState& state) {
  const ActionContext hovered = mouse_context();
  const ActionContext about = hovered != ActionContext::global ? hovered : keyboard_context();
  const std::string_view item = meaning_under_mouse();
  state.open = !(state.open && about == state.about && item == state.item);
  state.about = about;
  state.item = item;
  state.at = ImGui::GetMousePos();
}

// Beside the mouse it may reach over the window's edge, where neither its text nor its close button can be had.
void keep_in_window(HelpCardState& state, const ImGuiViewport& viewport) {
  if (state.placing == 0) return;
  --state.placing;
  const ImVec2 from = viewport.WorkPos, at = ImGui::GetWindowPos(), size = ImGui::GetWindowSize();
  const float right = from.x + viewport.WorkSize.x - size.x, bottom = from.y + viewport.WorkSize.y - size.y;
  ImGui::SetWindowPos({std::clamp(at.x, from.x, std::max(from.x, right)), std::clamp(at.y, from.y, std::max(from.y, bottom))});
}

void heading(const FrameContext& context, const char* text) {
  ImGui::PushFont(context.fonts.bold, 0.0F);
  draw_text(text);
  ImGui::PopFont();
}

void draw_terms(const FrameContext& context, const ViewHelp& help) {
  if (!ImGui::BeginTable("terms", 2)) return;
  ImGui::TableSetupColumn("word", ImGuiTableColumnFlags_WidthFixed);
  ImGui::TableSetupColumn("meaning", ImGuiTableColumnFlags_WidthStretch);
  for (const HelpTerm& term : help.terms) {
    ImGui::TableNextRow();
    ImGui::TableNextColumn();
    draw_text(term.word, context.theme.accent);
    ImGui::TableNextColumn();
    draw_wrapped_text(term.meaning, context.theme.text);
  }
  ImGui::EndTable();
}

}  // namespace

void draw_help_card(const FrameContext& context, HelpCardState& state) {
  const bool asked = context.asked(ActionId::help_here);
  if (asked) toggle_card(state);
  if (!state.open) return;
  const ImGuiViewport* viewport = ImGui::GetMainViewport();
  const float width = std::min(ImGui::GetFontSize() * kWidthInEm, viewport->WorkSize.x * 0.95F);
  if (asked) {
    const bool right_half = state.at.x > viewport->WorkPos.x + viewport->WorkSize.x / 2;
    const bool lower_half = state.at.y > viewport->WorkPos.y + viewport->WorkSize.y / 2;
    const float away = context.px(16);
    ImGui::SetNextWindowPos({state.at.x + (right_half ? -away : away), state.at.y + (lower_half ? -away : away)},
                            ImGuiCond_Always, {right_half ? 1.0F : 0.0F, lower_half ? 1.0F : 0.0F});
    ImGui::SetNextWindowFocus();
    state.placing = kPlacingFrames;
  }
  ImGui::SetNextWindowSizeConstraints({width, 0}, {width, viewport->WorkSize.y * 0.8F});
  constexpr auto kFlags = ImGuiWindowFlags_AlwaysAutoResize | ImGuiWindowFlags_NoDocking | ImGuiWindowFlags_NoCollapse |
                          ImGuiWindowFlags_NoSavedSettings;
  if (ImGui::Begin("Help", &state.open, kFlags)) {
    keep_in_window(state, *viewport);
    const ViewHelp& help = view_help(state.about);
    heading(context, panel_title(state.about));
    if (!state.item.empty()) {
      draw_wrapped_text("Under the mouse: " + state.item, context.theme.accent);
      ImGui::Separator();
    }
    draw_wrapped_text(help.what, context.theme.text);
    ImGui::Spacing();
    draw_terms(context, help);
    ImGui::Spacing();
    draw_keys_of(context, state.about);
    if (ImGui::IsWindowFocused(ImGuiFocusedFlags_ChildWindows) && ImGui::IsKeyPressed(ImGuiKey_Escape, false)) state.open = false;
  }
  ImGui::End();
}

}  // namespace dlscope::app
