#include "app/panels/run_buttons.h"

#include <imgui.h>

#include "app/widgets/marks.h"

namespace dlscope::app {
namespace {

bool button(const char* label, bool enabled, const char* meaning) {
  ImGui::BeginDisabled(!enabled);
  const bool pressed = ImGui::Button(label);
  ImGui::EndDisabled();
  if (ImGui::IsItemHovered(ImGuiHoveredFlags_ForTooltip | ImGuiHoveredFlags_AllowWhenDisabled)) ImGui::SetTooltip("%s", meaning);
  return pressed;
}

}  // namespace

void draw_run_buttons(const FrameContext& context, Commands& commands) {
  const HostStatus& host = context.host;
  if (button("▶ Run", host.can_run(), "F5: runs the text of the editor in a new namespace; imported modules stay loaded.")) {
    commands.push(command::RunScript{});
  }
  ImGui::SameLine(0, context.px(4));
  if (button("■ Stop", host.can_stop(), "Shift+F5: interrupts the script, as Ctrl+C does. Press again to insist.")) commands.push(command::StopScript{});
  ImGui::SameLine(0, context.px(4));
  if (button("Kill", host.can_kill(), "Ends the Python process at once. The text, the layout and the last tensors stay.")) commands.push(command::KillHost{});
  ImGui::SameLine(0, context.px(4));
  if (button("Restart", host.can_restart(), "A new Python process: nothing imported, no variables.")) commands.push(command::RestartHost{});
}

}  // namespace dlscope::app
