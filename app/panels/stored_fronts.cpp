#include "app/panels/stored_fronts.h"

#include <imgui_internal.h>

#include "app/models/panels/panel_facts.h"
#include "app/panels/dock_layouts.h"

namespace dlscope::app {
namespace {

// ImGui keeps what it read until it writes its own settings, seconds later.
bool is_stored_in_front(const ImGuiWindow& panel) {
  for (const ImGuiDockNodeSettings& place : GImGui->DockContext.NodesSettings) {
    if (place.SelectedTabId == panel.TabId) return true;
  }
  return false;
}

}  // namespace

void bring_stored_to_front() {
  const char* first = nullptr;
  for (const PanelFacts* panel : panels()) {
    const ImGuiWindow* const window = ImGui::FindWindowByName(panel->title);
    if (window == nullptr || !window->WasActive || !is_stored_in_front(*window)) continue;
    select_tab(panel->title);
    if (first == nullptr || panel->context == ActionContext::tensors) first = panel->title;
  }
  if (first != nullptr) ImGui::SetWindowFocus(first);
}

}  // namespace dlscope::app
