#include "app/panels/script/run_buttons.h"

#include <imgui.h>

#include "app/widgets/marks.h"

namespace dlscope::app {
namespace {

// On the same line while there is room.
bool button(const char* label, bool enabled, const char* meaning) {
  const ImGuiStyle& style = ImGui::GetStyle();
  const float end = ImGui::GetWindowPos().x + ImGui::GetWindowWidth() - style.WindowPadding.x;
  const float width = ImGui::CalcTextSize(label).x + style.FramePadding.x * 2;
  const float next = ImGui::GetItemRectMax().x + style.ItemInnerSpacing.x + width;
  if (ImGui::GetCursorPosY() > ImGui::GetCursorStartPos().y && next <= end) ImGui::SameLine(0, style.ItemInnerSpacing.x);
  ImGui::BeginDisabled(!enabled);
  const bool pressed = ImGui::Button(label);
  ImGui::EndDisabled();
  if (ImGui::IsItemHovered(ImGuiHoveredFlags_AllowWhenDisabled)) note_meaning(meaning);
  if (ImGui::IsItemHovered(ImGuiHoveredFlags_ForTooltip | ImGuiHoveredFlags_AllowWhenDisabled)) ImGui::SetTooltip("%s", meaning);
  return pressed;
}

}  // namespace

void draw_run_buttons(const FrameContext& context, Commands& commands) {
  const HostStatus& host = context.host;
  if (button("▶ Run", host.can_run(), "F5: runs the text of the editor in a new namespace; imported modules stay loaded.")) {
    commands.push(command::RunScript{});
  }
  if (button("■ Stop", host.can_stop(), "Shift+F5: interrupts the script, as Ctrl+C does. Press again to insist."))
    commands.push(command::StopScript{});
  if (button("Kill", host.can_kill(), "Ends the Python process at once. The text, the layout and the last tensors stay."))
    commands.push(command::KillHost{});
  if (button("Restart", host.can_restart(), "A new Python process: nothing imported, no variables."))
    commands.push(command::RestartHost{});
}

}  // namespace dlscope::app
