// The menu bar with every action, the run state on its right, and the keys that reach the same actions.
#pragma once

#include <string>

#include "app/models/commands.h"
#include "app/panels/frame_context.h"

namespace dlscope::app {

// Which panels and sheets are shown; the View menu switches them.
struct ViewSwitches {
  bool script = true, output = true, tensors = true, inspector = true, memory = true, sharing = true, values = true,
       storage = true;
  bool shortcuts = false;
};

struct MenuBarState {
  ViewSwitches show;
  bool open_file_browser = false;  // asked for in this frame
  bool save_as = false;
  bool focus_filter = false;
  bool run_selection = false;
};

void draw_menu_bar(const FrameContext& context, MenuBarState& state, Commands& commands);

// The keys of look.md section 5 that act now. Once per frame, outside any window.
void handle_keys(const FrameContext& context, MenuBarState& state, bool editor_has_keyboard, Commands& commands);

// The sheet with all keys.
void draw_shortcut_sheet(const FrameContext& context, ViewSwitches& show);

}  // namespace dlscope::app
