#include "app/panels/dock_layouts.h"

#include <imgui_internal.h>

#include <utility>

#include "app/panels/frame_context.h"

namespace dlscope::app {
namespace {

ImGuiID split(ImGuiID& rest, ImGuiDir side, float part) {
  ImGuiID there = 0;
  ImGui::DockBuilderSplitNode(rest, side, part, &there, &rest);
  return there;
}

// Tensors and who shares what, one behind the other; the same for numbers and where they lie.
void dock_tensors(ImGuiID node) {
  ImGui::DockBuilderDockWindow(kTensorsWindow, node);
  ImGui::DockBuilderDockWindow(kSharingWindow, node);
}

void dock_values(ImGuiID node) {
  ImGui::DockBuilderDockWindow(kValuesWindow, node);
  ImGui::DockBuilderDockWindow(kLayoutWindow, node);
}

// Code left, values over tensors in the middle, the inspector right, memory below everything.
void arrange_debug(ImGuiID rest) {
  const ImGuiID memory = split(rest, ImGuiDir_Down, 0.24F);
  const ImGuiID right = split(rest, ImGuiDir_Right, 0.27F);
  ImGuiID left = split(rest, ImGuiDir_Left, 0.32F);
  const ImGuiID output = split(left, ImGuiDir_Down, 0.34F);
  const ImGuiID values = split(rest, ImGuiDir_Down, 0.40F);
  ImGui::DockBuilderDockWindow(kMemoryWindow, memory);
  ImGui::DockBuilderDockWindow(kInspectorWindow, right);
  ImGui::DockBuilderDockWindow(kScriptWindow, left);
  ImGui::DockBuilderDockWindow(kOutputWindow, output);
  dock_values(values);
  dock_tensors(rest);
}

// What is read left; the layout view large in the middle, the tensors above it and the map below; the struct card right.
void arrange_teach(ImGuiID rest) {
  const ImGuiID right = split(rest, ImGuiDir_Right, 0.30F);
  ImGuiID left = split(rest, ImGuiDir_Left, 0.40F);
  const ImGuiID output = split(left, ImGuiDir_Down, 0.28F);
  const ImGuiID memory = split(rest, ImGuiDir_Down, 0.20F);
  const ImGuiID values = split(rest, ImGuiDir_Down, 0.74F);
  ImGui::DockBuilderDockWindow(kInspectorWindow, right);
  ImGui::DockBuilderDockWindow(kScriptWindow, left);
  ImGui::DockBuilderDockWindow(kOutputWindow, output);
  ImGui::DockBuilderDockWindow(kMemoryWindow, memory);
  dock_values(values);
  dock_tensors(rest);
}

// Table and sharing list in the middle, evidence right, what happened below.
void arrange_verify(ImGuiID rest) {
  const ImGuiID right = split(rest, ImGuiDir_Right, 0.28F);
  ImGuiID below = split(rest, ImGuiDir_Down, 0.34F);
  const ImGuiID memory = split(below, ImGuiDir_Right, 0.55F);
  const ImGuiID sharing = split(rest, ImGuiDir_Down, 0.42F);
  ImGui::DockBuilderDockWindow(kInspectorWindow, right);
  ImGui::DockBuilderDockWindow(kOutputWindow, below);
  ImGui::DockBuilderDockWindow(kScriptWindow, below);
  ImGui::DockBuilderDockWindow(kMemoryWindow, memory);
  ImGui::DockBuilderDockWindow(kValuesWindow, memory);
  ImGui::DockBuilderDockWindow(kLayoutWindow, memory);
  ImGui::DockBuilderDockWindow(kSharingWindow, sharing);
  ImGui::DockBuilderDockWindow(kTensorsWindow, rest);
}

// Focusing a window brings its tab to the front only when nothing else is focused in the same frame.
void select_tab(const char* name) {
  const ImGuiWindow* window = ImGui::FindWindowByName(name);
  if (window == nullptr || window->DockNode == nullptr || window->DockNode->TabBar == nullptr) return;
  window->DockNode->TabBar->NextSelectedTabId = window->TabId;
}

}  // namespace

void arrange_panels(LayoutPreset layout, ImGuiID dock, ImVec2 size) {
  ImGui::DockBuilderRemoveNode(dock);
  ImGui::DockBuilderAddNode(dock, ImGuiDockNodeFlags_DockSpace);
  ImGui::DockBuilderSetNodeSize(dock, size);
  switch (layout) {
    case LayoutPreset::debug:
      arrange_debug(dock);
      break;
    case LayoutPreset::teach:
      arrange_teach(dock);
      break;
    case LayoutPreset::verify:
      arrange_verify(dock);
      break;
  }
  ImGui::DockBuilderFinish(dock);
}

void bring_to_front(LayoutPreset layout) {
  if (layout == LayoutPreset::verify) select_tab(kOutputWindow);
  select_tab(layout == LayoutPreset::verify ? kMemoryWindow : layout == LayoutPreset::teach ? kLayoutWindow : kValuesWindow);
  ImGui::SetWindowFocus(kTensorsWindow);  // the keyboard goes there
}

std::string arrangement_text() {
  std::size_t size = 0;
  const char* text = ImGui::SaveIniSettingsToMemory(&size);
  return {text, size};
}

bool arrangement_changed() { return std::exchange(ImGui::GetIO().WantSaveIniSettings, false); }

void load_arrangement(const std::string& text) { ImGui::LoadIniSettingsFromMemory(text.data(), text.size()); }

}  // namespace dlscope::app
