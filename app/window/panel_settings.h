// Panel settings: applied to the panels at start, read back after each frame; also the docking arrangement of the panels.
// thread: UI.
#pragma once

#include "app/models/actions/keymap.h"
#include "app/models/actions/notices.h"
#include "app/panels/workspace.h"
#include "app/session/settings.h"

namespace dlscope::app {

// At start. Settings that cannot be used here are left out, with a notice.
void apply_settings(const Settings& settings, Keymap& keys, PanelStates& panels, Notices& notices);
// Call before a frame: the docking settings must not change while one is drawn.
void apply_arrangement(const Settings& settings, PanelStates& panels);

// After a frame: what a person changed in the panels.
void read_settings(const PanelStates& panels, LayoutPreset layout, Settings& settings);
// Switches the docking arrangement. The current one is stored when a person changed it; switching to the same layout resets it.
void switch_layout(LayoutPreset from, LayoutPreset to, PanelStates& panels, Settings& settings);
// Call when the window closes: stores its place, and what was rearranged in the last seconds.
void note_window(const WindowPlace& place, LayoutPreset layout, const PanelStates& panels, Settings& settings);

void rebind(const command::Rebind& change, Keymap& keys, Settings& settings);

}  // namespace dlscope::app
