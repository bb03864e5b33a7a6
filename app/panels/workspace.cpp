#include "app/panels/workspace.h"

#include <imgui.h>

#include "app/panels/dock_layouts.h"
#include "app/panels/status_bar.h"

namespace dlscope::app {
namespace {

// Panels appear one frame after they were docked, their tabs in the frame after that.
constexpr int kSettlingFrames = 3;

void draw_dock_space(PanelStates& states) {
  const ImGuiViewport* viewport = ImGui::GetMainViewport();
  ImGui::SetNextWindowPos(viewport->WorkPos);
  ImGui::SetNextWindowSize(viewport->WorkSize);
  ImGui::SetNextWindowViewport(viewport->ID);
  constexpr auto kFlags = ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoDocking |
                          ImGuiWindowFlags_NoBringToFrontOnFocus | ImGuiWindowFlags_NoNavFocus | ImGuiWindowFlags_NoBackground |
                          ImGuiWindowFlags_NoSavedSettings;
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(0, 0));
  ImGui::PushStyleVar(ImGuiStyleVar_WindowBorderSize, 0.0F);
  ImGui::Begin("##workspace", nullptr, kFlags);
  ImGui::PopStyleVar(2);
  const ImGuiID dock = ImGui::GetID("dock space");
  if (states.arrange) {
    arrange_panels(*states.arrange, dock, viewport->WorkSize);
    states.menu.show = {.shortcuts = states.menu.show.shortcuts};
    states.arrange.reset();
    states.settling = kSettlingFrames;
  }
  ImGui::DockSpace(dock);
  ImGui::End();
}

void carry_out_requests(PanelStates& states, const PanelModels& models, Commands& commands) {
  MenuBarState& menu = states.menu;
  if (menu.open_file_browser) show_file_browser(states.files, FileBrowserState::Purpose::open, models.script.path);
  if (menu.save_as) show_file_browser(states.files, FileBrowserState::Purpose::save, models.script.path);
  if (menu.focus_filter) {
    states.tensors.focus_filter = menu.show.tensors = true;
    ImGui::SetWindowFocus(kTensorsWindow);
  }
  if (menu.run_selection) commands.push(command::RunText{selection_or_line(states.script)});
  menu.open_file_browser = menu.save_as = menu.focus_filter = menu.run_selection = false;
}

}  // namespace

void draw_workspace(const FrameContext& context, PanelStates& states, const PanelModels& models, Commands& commands) {
  handle_keys(context, states.menu, states.script.has_keyboard, commands);
  draw_menu_bar(context, states.menu, commands);
  draw_status_bar(context);
  draw_dock_space(states);
  if (states.settling > 0 && --states.settling == 0) bring_to_front(context.layout);
  const ViewSwitches& show = states.menu.show;
  if (show.script) draw_script_panel(context, states.script, models.script, commands);
  if (show.output) draw_output_panel(context, states.output, models.output, commands);
  if (show.inspector) draw_inspector_panel(context, states.inspector, models.inspection, commands);
  if (show.memory) draw_memory_map_panel(context, states.memory, commands);
  if (show.tensors) draw_tensor_table_panel(context, states.tensors, models.tensors, commands);
  if (show.values) draw_values_panel(context, states.values, commands);
  if (show.storage) draw_storage_panel(context, states.storage, commands);
  if (show.sharing) draw_sharing_panel(context, states.sharing, commands);
  carry_out_requests(states, models, commands);
  draw_file_browser(context, states.files, commands);
  draw_shortcut_sheet(context, states.menu.show);
  draw_notices(context, models.notices, commands);
}

}  // namespace dlscope::app
