// The three arrangements of the panels, as docking: each with as many panels side by side as the window has room for.
#pragma once

#include <string>

#include <imgui.h>

#include "app/models/actions/view_options.h"

namespace dlscope::app {

// Replaces what `dock` holds. Between NewFrame and the DockSpace() call of the same id.
void arrange_panels(LayoutPreset layout, WindowRoom room, ImGuiID dock, ImVec2 size);

// Where several panels share a place: which of them is in front. Once the panels were drawn in the new arrangement: a window
// that appears puts itself in front. The keyboard stays with the panel `with_keyboard`, which comes to the front too; "": it
// goes to the tensors.
void bring_to_front(LayoutPreset layout, WindowRoom room, const std::string& with_keyboard);
// Brings a panel's tab to the front of those it shares a place with; the keyboard stays where it is.
void select_tab(const char* name);
// The docked panel that has the keyboard; "": none.
[[nodiscard]] std::string panel_with_keyboard();

// Somebody drags a tab or an edge between panels in this frame.
[[nodiscard]] bool is_being_arranged(ImGuiID dock);

// The docking as it stands, as text.
[[nodiscard]] std::string arrangement_text();
// Somebody moved something since the last call; asked a few seconds later.
[[nodiscard]] bool arrangement_changed();
// Before a frame. The text was checked (is_arrangement).
void load_arrangement(const std::string& text);

}  // namespace dlscope::app
