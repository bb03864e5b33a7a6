// The panels and what outlives them: settings put into the panels at the start, and read out of them after each frame; the
// arrangement of the panels by docking.
// thread: UI.
#pragma once

#include "app/models/actions/keymap.h"
#include "app/models/actions/notices.h"
#include "app/panels/workspace.h"
#include "app/session/settings.h"

namespace dlscope::app {

// At the start. What means nothing here is said and left out.
void apply_settings(const Settings& settings, Keymap& keys, PanelStates& panels, Notices& notices);
// Before a frame: docking text may not be changed while one is drawn.
void apply_arrangement(const Settings& settings, PanelStates& panels);

// After a frame: what a person changed in the panels.
void read_settings(const PanelStates& panels, LayoutPreset layout, Settings& settings);
// The arrangement is asked for anew: the one before is remembered, when somebody made it their own.
void switch_layout(LayoutPreset from, LayoutPreset to, PanelStates& panels, Settings& settings);
// The window closes: where it stands, and what was arranged by hand in the last seconds.
void note_window(const WindowPlace& place, LayoutPreset layout, const PanelStates& panels, Settings& settings);

void rebind(const command::Rebind& change, Keymap& keys, Settings& settings);

}  // namespace dlscope::app
