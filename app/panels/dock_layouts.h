// The three docking layouts: each with as many panels side by side as the window has room for.
#pragma once

#include <cstdint>
#include <string>

#include <imgui.h>

#include "app/models/actions/view_options.h"

namespace dlscope::app {

// How many places the panels have side by side. Of two, the left one is divided, code and output below the lists: all of them in
// half a window have more titles than can be read. That takes 760 x 440 pixels: in a flatter window the editor would have a few
// lines only, in a narrower one the titles would be cut all the same.
struct PanelRoom {
  WindowRoom places = WindowRoom::all_places;
  bool code_below = false;
  friend bool operator==(const PanelRoom&, const PanelRoom&) = default;
};
[[nodiscard]] PanelRoom panel_room(float width, float height);  // of pixels at 100 %

// Replaces the layout of `dock`. Call between NewFrame and the DockSpace() call with the same id.
void arrange_panels(LayoutPreset layout, PanelRoom room, ImGuiID dock, ImVec2 size);

// Brings the main panel of each shared place to the front. Call when the panels were drawn in the new layout, because a window
// that appears brings itself to the front. The keyboard goes to the panel `with_keyboard`, which also comes to the front; "": to
// the tensors.
void bring_to_front(LayoutPreset layout, PanelRoom room, const std::string& with_keyboard);
// Brings a panel's tab to the front in its place; the keyboard stays where it is.
void select_tab(const char* name);
// The panel whose tab is in front in the place of `name`, which need not be shown; "": none.
[[nodiscard]] std::string panel_in_front_at(const char* name);
// The docked panel that has the keyboard; "": none.
[[nodiscard]] std::string panel_with_keyboard();

// Which places have a menu beside their tabs.
enum class TabMenus : std::uint8_t { none, where_cut, everywhere };  // where_cut: where the titles have no room
// DockSpace(dock), with these menus.
void draw_docks(ImGuiID dock, TabMenus menus);

// True while a tab, or an edge between panels, is dragged.
[[nodiscard]] bool is_being_arranged(ImGuiID dock);

// The present docking layout, as text for the settings.
[[nodiscard]] std::string arrangement_text();
// True when the layout was changed since the last call; ImGui reports a change a few seconds later.
[[nodiscard]] bool arrangement_changed();
// Call before a frame. text: must have passed is_arrangement().
void load_arrangement(const std::string& text);

}  // namespace dlscope::app
