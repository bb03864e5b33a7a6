#include "app/panels/dock_layouts.h"

#include <imgui_internal.h>

#include <array>
#include <initializer_list>
#include <utility>

#include "app/models/panels/panel_facts.h"
#include "app/panels/frame_context.h"

namespace dlscope::app {
namespace {

ImGuiID split(ImGuiID& rest, ImGuiDir side, float part) {
  ImGuiID there = 0;
  ImGui::DockBuilderSplitNode(rest, side, part, &there, &rest);
  return there;
}

// The dock node of each home.
class DefaultDocks {
 public:
  explicit DefaultDocks(ImGuiID everywhere) { nodes_.fill(everywhere); }
  void set(ImGuiID node, std::initializer_list<PanelHome> homes) {
    for (const PanelHome home : homes) nodes_[static_cast<std::size_t>(home)] = node;
  }
  [[nodiscard]] ImGuiID of(PanelHome home) const { return nodes_[static_cast<std::size_t>(home)]; }

 private:
  std::array<ImGuiID, static_cast<std::size_t>(PanelHome::count)> nodes_{};
};

using enum PanelHome;

// Code left; values above tensors in the middle; the inspector right; memory along the bottom.
DefaultDocks homes_for_debugging(ImGuiID rest) {
  const ImGuiID memory = split(rest, ImGuiDir_Down, 0.24F);
  ImGuiID right = split(rest, ImGuiDir_Right, 0.27F);
  const ImGuiID below = split(right, ImGuiDir_Down, 0.42F);
  ImGuiID left = split(rest, ImGuiDir_Left, 0.32F);
  const ImGuiID output = split(left, ImGuiDir_Down, 0.34F);
  const ImGuiID values = split(rest, ImGuiDir_Down, 0.40F);
  DefaultDocks homes(rest);
  homes.set(memory, {bottom});
  homes.set(right, {inspector});
  homes.set(below, {stack});
  homes.set(left, {script});
  homes.set(output, {console});
  homes.set(values, {detail});
  return homes;
}

// The lesson left; the layout view large in the middle, tensors above and the map below it; the struct card right.
DefaultDocks homes_for_teaching(ImGuiID rest) {
  const ImGuiID right = split(rest, ImGuiDir_Right, 0.30F);
  ImGuiID left = split(rest, ImGuiDir_Left, 0.40F);
  const ImGuiID output = split(left, ImGuiDir_Down, 0.28F);
  const ImGuiID memory = split(rest, ImGuiDir_Down, 0.20F);
  const ImGuiID values = split(rest, ImGuiDir_Down, 0.74F);
  DefaultDocks homes(rest);
  homes.set(memory, {bottom});
  homes.set(right, {inspector, stack});
  homes.set(left, {script});
  homes.set(output, {console});
  homes.set(values, {detail, exchange});
  return homes;
}

// Table and sharing list in the middle, evidence right, the log below.
DefaultDocks homes_for_verifying(ImGuiID rest) {
  const ImGuiID right = split(rest, ImGuiDir_Right, 0.28F);
  ImGuiID below = split(rest, ImGuiDir_Down, 0.34F);
  const ImGuiID memory = split(below, ImGuiDir_Right, 0.55F);
  const ImGuiID pairs = split(rest, ImGuiDir_Down, 0.42F);
  DefaultDocks homes(rest);
  homes.set(right, {inspector, stack});
  homes.set(below, {console, script});
  homes.set(memory, {bottom, detail});
  homes.set(pairs, {sharing, exchange});
  return homes;
}

// Code left; on the right the tensors above the details of one of them; with five places the inspector gets its own. Teach gives
// the layout view the whole lower right; Verify has less room for code.
DefaultDocks four_homes(LayoutPreset layout, WindowRoom room, ImGuiID rest) {
  if (layout == LayoutPreset::verify) {
    ImGuiID right = split(rest, ImGuiDir_Right, 0.46F);
    const ImGuiID below = split(right, ImGuiDir_Down, 0.34F);
    const ImGuiID pairs = split(rest, ImGuiDir_Down, 0.42F);
    DefaultDocks homes(rest);
    homes.set(right, {inspector, detail, bottom, stack});
    homes.set(below, {console, script});
    homes.set(pairs, {sharing, exchange});
    return homes;
  }
  ImGuiID left = split(rest, ImGuiDir_Left, 0.36F);
  const ImGuiID output = split(left, ImGuiDir_Down, 0.36F);
  ImGuiID one = split(rest, ImGuiDir_Down, layout == LayoutPreset::teach ? 0.60F : 0.56F);
  const bool fifth = room == WindowRoom::five_places && layout == LayoutPreset::debug;
  const ImGuiID beside = fifth ? split(one, ImGuiDir_Right, 0.42F) : one;
  DefaultDocks homes(rest);
  homes.set(left, {script});
  homes.set(output, {console});
  homes.set(one, {detail});
  if (!fifth) homes.set(one, {exchange});  // with five places it stays with the tensors: too many tabs beside the details
  homes.set(beside, {inspector, stack});
  return homes;
}

// The lists left, the details of one tensor right.
DefaultDocks two_homes(bool code_below, ImGuiID rest) {
  const ImGuiID right = split(rest, ImGuiDir_Right, 0.54F);
  const ImGuiID below = code_below ? split(rest, ImGuiDir_Down, 0.42F) : rest;
  DefaultDocks homes(rest);
  homes.set(right, {detail, inspector, stack});
  if (!code_below) homes.set(right, {bottom});
  homes.set(below, {script, console});
  return homes;
}

DefaultDocks all_homes(LayoutPreset layout, ImGuiID rest) {
  switch (layout) {
    case LayoutPreset::debug:
      return homes_for_debugging(rest);
    case LayoutPreset::teach:
      return homes_for_teaching(rest);
    case LayoutPreset::verify:
      return homes_for_verifying(rest);
  }
  return DefaultDocks(rest);
}

DefaultDocks homes_in(LayoutPreset layout, PanelRoom room, ImGuiID dock) {
  switch (room.places) {
    case WindowRoom::all_places:
      return all_homes(layout, dock);
    case WindowRoom::five_places:
    case WindowRoom::four_places:
      return four_homes(layout, room.places, dock);
    case WindowRoom::two_places:
      return two_homes(room.code_below, dock);
    case WindowRoom::one_place:
      break;
  }
  return DefaultDocks(dock);
}

// The panel to bring to the front of its shared place.
const char* main_panel(LayoutPreset layout, WindowRoom room) {
  if (layout == LayoutPreset::teach) return title_of(ActionContext::layout);
  if (layout == LayoutPreset::debug) return title_of(ActionContext::values);
  return room == WindowRoom::all_places ? title_of(ActionContext::memory) : title_of(ActionContext::inspector);
}

// Whether the titles of a place would be cut if it had no menu beside them.
bool titles_are_cut(const ImGuiDockNode& node) {
  if (node.TabBar == nullptr) return false;
  const bool has_menu = (node.LocalFlags & ImGuiDockNodeFlags_NoWindowMenuButton) == 0;
  const float menu = has_menu ? GImGui->FontSize + ImGui::GetStyle().ItemInnerSpacing.x : 0;
  return node.TabBar->WidthAllTabsIdeal > node.TabBar->BarRect.GetWidth() + menu;
}

// To a place and those that it is divided into.
void give_menus(ImGuiDockNode* node, TabMenus menus) {
  if (node == nullptr) return;
  for (ImGuiDockNode* part : node->ChildNodes) give_menus(part, menus);
  const bool without = menus == TabMenus::where_cut && !titles_are_cut(*node);
  const ImGuiDockNodeFlags others = node->LocalFlags & ~ImGuiDockNodeFlags_NoWindowMenuButton;
  node->SetLocalFlags(without ? others | ImGuiDockNodeFlags_NoWindowMenuButton : others);
}

// Lists these tabs and nothing else, also where there is only one: ImGui's own menu would then offer to hide the panel's title.
void draw_tab_menu(ImGuiContext* /*context*/, ImGuiDockNode* /*node*/, ImGuiTabBar* bar) {
  for (ImGuiTabItem& tab : bar->Tabs) {
    if ((tab.Flags & ImGuiTabItemFlags_Button) != 0) continue;
    if (ImGui::Selectable(ImGui::TabBarGetTabName(bar, &tab), tab.ID == bar->SelectedTabId)) ImGui::TabBarQueueFocus(bar, &tab);
  }
}

}  // namespace

PanelRoom panel_room(float width, float height) {
  const WindowRoom places = room_of(width, height);
  return {places, places == WindowRoom::two_places && width >= 760 && height >= 440};
}


// Not by focusing the window: that works only when nothing else is focused in the same frame.
void select_tab(const char* name) {
  const ImGuiWindow* window = ImGui::FindWindowByName(name);
  if (window == nullptr || window->DockNode == nullptr || window->DockNode->TabBar == nullptr) return;
  window->DockNode->TabBar->NextSelectedTabId = window->TabId;
}

void arrange_panels(LayoutPreset layout, PanelRoom room, ImGuiID dock, ImVec2 size) {
  ImGui::DockBuilderRemoveNode(dock);
  ImGui::DockBuilderAddNode(dock, ImGuiDockNodeFlags_DockSpace);
  ImGui::DockBuilderSetNodeSize(dock, size);
  const DefaultDocks homes = homes_in(layout, room, dock);
  for (const PanelFacts* panel : panels()) ImGui::DockBuilderDockWindow(panel->title, homes.of(panel->home));
  ImGui::DockBuilderFinish(dock);
}

std::string panel_in_front_at(const char* name) {
  const ImGuiWindow* window = ImGui::FindWindowByName(name);
  const ImGuiWindowSettings* stored = window == nullptr ? ImGui::FindWindowSettingsByID(ImHashStr(name)) : nullptr;
  const ImGuiID place = window != nullptr ? window->DockId : stored != nullptr ? stored->DockId : 0;
  const ImGuiDockNode* node = place != 0 ? ImGui::DockBuilderGetNode(place) : nullptr;
  return node != nullptr && node->VisibleWindow != nullptr ? node->VisibleWindow->Name : "";
}

void draw_docks(ImGuiID dock, TabMenus menus) {
  give_menus(ImGui::DockBuilderGetNode(dock), menus);
  GImGui->DockNodeWindowMenuHandler = draw_tab_menu;
  ImGui::GetStyle().WindowMenuButtonPosition = menus == TabMenus::none ? ImGuiDir_None : ImGuiDir_Right;
  ImGui::DockSpace(dock);
  ImGui::GetStyle().WindowMenuButtonPosition = ImGuiDir_None;
}

std::string panel_with_keyboard() {
  const ImGuiWindow* window = GImGui->NavWindow;
  return window != nullptr && window->RootWindow->DockIsActive ? window->RootWindow->Name : "";
}

void bring_to_front(LayoutPreset layout, PanelRoom room, const std::string& with_keyboard) {
  const bool four = room.places >= WindowRoom::four_places;
  if (four)
    select_tab(layout == LayoutPreset::verify ? title_of(ActionContext::log) : title_of(ActionContext::output));
  if (room.code_below)
    select_tab(layout == LayoutPreset::verify ? title_of(ActionContext::log) : title_of(ActionContext::script));
  if (room.places != WindowRoom::one_place) select_tab(main_panel(layout, room.places));
  if (layout == LayoutPreset::verify && four) select_tab(title_of(ActionContext::sharing));
  select_tab(title_of(ActionContext::tensors));  // it says what to do while there are no tensors yet
  const std::string focused = with_keyboard.empty() ? title_of(ActionContext::tensors) : with_keyboard;
  select_tab(focused.c_str());
  ImGui::SetWindowFocus(focused.c_str());
}

bool is_being_arranged(ImGuiID dock) {
  const ImGuiDockNode* node = ImGui::DockBuilderGetNode(dock);
  const ImGuiContext& g = *GImGui;
  // Tabs and the edges between panels are items of the dock space's own window.
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
