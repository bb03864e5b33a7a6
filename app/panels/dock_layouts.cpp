#include "app/panels/dock_layouts.h"

#include <imgui_internal.h>

#include <initializer_list>
#include <utility>

#include "app/panels/frame_context.h"

namespace dlscope::app {
namespace {

ImGuiID split(ImGuiID& rest, ImGuiDir side, float part) {
  ImGuiID there = 0;
  ImGui::DockBuilderSplitNode(rest, side, part, &there, &rest);
  return there;
}

// One behind the other.
void put(ImGuiID node, std::initializer_list<const char*> windows) {
  for (const char* window : windows) ImGui::DockBuilderDockWindow(window, node);
}

// Code left, values over tensors in the middle, the inspector right, memory below everything.
void arrange_debug(ImGuiID rest) {
  const ImGuiID memory = split(rest, ImGuiDir_Down, 0.24F);
  const ImGuiID right = split(rest, ImGuiDir_Right, 0.27F);
  ImGuiID left = split(rest, ImGuiDir_Left, 0.32F);
  const ImGuiID output = split(left, ImGuiDir_Down, 0.34F);
  const ImGuiID values = split(rest, ImGuiDir_Down, 0.40F);
  put(memory, {kMemoryWindow});
  put(right, {kInspectorWindow});
  put(left, {kScriptWindow});
  put(output, {kOutputWindow, kLogWindow});
  put(values, {kValuesWindow, kLayoutWindow});
  put(rest, {kTensorsWindow, kSharingWindow});
}

// What is read left; the layout view large in the middle, the tensors above it and the map below; the struct card right.
void arrange_teach(ImGuiID rest) {
  const ImGuiID right = split(rest, ImGuiDir_Right, 0.30F);
  ImGuiID left = split(rest, ImGuiDir_Left, 0.40F);
  const ImGuiID output = split(left, ImGuiDir_Down, 0.28F);
  const ImGuiID memory = split(rest, ImGuiDir_Down, 0.20F);
  const ImGuiID values = split(rest, ImGuiDir_Down, 0.74F);
  put(right, {kInspectorWindow});
  put(left, {kScriptWindow});
  put(output, {kOutputWindow, kLogWindow});
  put(memory, {kMemoryWindow});
  put(values, {kValuesWindow, kLayoutWindow});
  put(rest, {kTensorsWindow, kSharingWindow});
}

// Table and sharing list in the middle, evidence right, what happened below.
void arrange_verify(ImGuiID rest) {
  const ImGuiID right = split(rest, ImGuiDir_Right, 0.28F);
  ImGuiID below = split(rest, ImGuiDir_Down, 0.34F);
  const ImGuiID memory = split(below, ImGuiDir_Right, 0.55F);
  const ImGuiID sharing = split(rest, ImGuiDir_Down, 0.42F);
  put(right, {kInspectorWindow});
  put(below, {kOutputWindow, kLogWindow, kScriptWindow});
  put(memory, {kMemoryWindow, kValuesWindow, kLayoutWindow});
  put(sharing, {kSharingWindow});
  put(rest, {kTensorsWindow});
}

// Code left, tensors over what is known of one of them right; the inspector has a place of its own as the fifth. Teach gives the
// layout view the whole lower right, verify the code less.
void arrange_four(LayoutPreset layout, WindowRoom room, ImGuiID rest) {
  if (layout == LayoutPreset::verify) {
    ImGuiID right = split(rest, ImGuiDir_Right, 0.46F);
    const ImGuiID below = split(right, ImGuiDir_Down, 0.34F);
    const ImGuiID sharing = split(rest, ImGuiDir_Down, 0.42F);
    put(right, {kInspectorWindow, kValuesWindow, kLayoutWindow, kMemoryWindow});
    put(below, {kOutputWindow, kLogWindow, kScriptWindow});
    put(sharing, {kSharingWindow});
    put(rest, {kTensorsWindow});
    return;
  }
  ImGuiID left = split(rest, ImGuiDir_Left, 0.36F);
  const ImGuiID output = split(left, ImGuiDir_Down, 0.36F);
  ImGuiID one = split(rest, ImGuiDir_Down, layout == LayoutPreset::teach ? 0.60F : 0.56F);
  const bool fifth = room == WindowRoom::five_places && layout == LayoutPreset::debug;
  const ImGuiID inspector = fifth ? split(one, ImGuiDir_Right, 0.42F) : one;
  put(left, {kScriptWindow});
  put(output, {kOutputWindow, kLogWindow});
  put(one, {kValuesWindow, kLayoutWindow});
  put(inspector, {kInspectorWindow});
  put(rest, {kTensorsWindow, kSharingWindow, kMemoryWindow});
}

// What there is left, what is known of one tensor right.
void arrange_two(ImGuiID rest) {
  const ImGuiID right = split(rest, ImGuiDir_Right, 0.54F);
  put(right, {kValuesWindow, kLayoutWindow, kInspectorWindow, kMemoryWindow});
  put(rest, {kTensorsWindow, kSharingWindow, kScriptWindow, kOutputWindow, kLogWindow});
}

void arrange_one(ImGuiID rest) {
  put(rest, {kTensorsWindow, kValuesWindow, kLayoutWindow, kInspectorWindow, kMemoryWindow, kSharingWindow, kScriptWindow,
             kOutputWindow, kLogWindow});
}

void arrange_all(LayoutPreset layout, ImGuiID rest) {
  switch (layout) {
    case LayoutPreset::debug:
      return arrange_debug(rest);
    case LayoutPreset::teach:
      return arrange_teach(rest);
    case LayoutPreset::verify:
      return arrange_verify(rest);
  }
}

// What the arrangement is for, where it shares a place with others.
const char* main_panel(LayoutPreset layout, WindowRoom room) {
  if (layout == LayoutPreset::teach) return kLayoutWindow;
  if (layout == LayoutPreset::debug) return kValuesWindow;
  return room == WindowRoom::all_places ? kMemoryWindow : kInspectorWindow;
}

// Focusing a window brings its tab to the front only when nothing else is focused in the same frame.
void select_tab(const char* name) {
  const ImGuiWindow* window = ImGui::FindWindowByName(name);
  if (window == nullptr || window->DockNode == nullptr || window->DockNode->TabBar == nullptr) return;
  window->DockNode->TabBar->NextSelectedTabId = window->TabId;
}

}  // namespace

void arrange_panels(LayoutPreset layout, WindowRoom room, ImGuiID dock, ImVec2 size) {
  ImGui::DockBuilderRemoveNode(dock);
  ImGui::DockBuilderAddNode(dock, ImGuiDockNodeFlags_DockSpace);
  ImGui::DockBuilderSetNodeSize(dock, size);
  switch (room) {
    case WindowRoom::all_places:
      arrange_all(layout, dock);
      break;
    case WindowRoom::five_places:
    case WindowRoom::four_places:
      arrange_four(layout, room, dock);
      break;
    case WindowRoom::two_places:
      arrange_two(dock);
      break;
    case WindowRoom::one_place:
      arrange_one(dock);
      break;
  }
  ImGui::DockBuilderFinish(dock);
}

std::string panel_with_keyboard() {
  const ImGuiWindow* window = GImGui->NavWindow;
  return window != nullptr && window->RootWindow->DockIsActive ? window->RootWindow->Name : "";
}

void bring_to_front(LayoutPreset layout, WindowRoom room, const std::string& with_keyboard) {
  if (room >= WindowRoom::four_places) select_tab(layout == LayoutPreset::verify ? kLogWindow : kOutputWindow);
  if (room != WindowRoom::one_place) select_tab(main_panel(layout, room));
  select_tab(kTensorsWindow);  // what one can do is there while there are no tensors yet
  const std::string focused = with_keyboard.empty() ? kTensorsWindow : with_keyboard;
  select_tab(focused.c_str());
  ImGui::SetWindowFocus(focused.c_str());
}

bool is_being_arranged(ImGuiID dock) {
  const ImGuiDockNode* node = ImGui::DockBuilderGetNode(dock);
  const ImGuiContext& g = *GImGui;
  // Edges between panels and tabs are items of the dock space's own window.
  return node != nullptr && node->HostWindow != nullptr && g.ActiveId != 0 && g.ActiveIdWindow == node->HostWindow &&
         ImGui::IsMouseDragging(ImGuiMouseButton_Left);
}

std::string arrangement_text() {
  std::size_t size = 0;
  const char* text = ImGui::SaveIniSettingsToMemory(&size);
  return {text, size};
}

bool arrangement_changed() { return std::exchange(ImGui::GetIO().WantSaveIniSettings, false); }

void load_arrangement(const std::string& text) { ImGui::LoadIniSettingsFromMemory(text.data(), text.size()); }

}  // namespace dlscope::app
