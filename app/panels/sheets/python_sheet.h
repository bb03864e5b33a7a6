// The sheet with the Pythons of this machine: which there are, which could be used and with which libraries, and a path to type.
#pragma once

#include <string>

#include "app/models/actions/actions.h"
#include "app/models/actions/commands.h"
#include "app/panels/frame_context.h"

namespace dlscope::app {

struct PythonSheetState {
  std::string path;    // as typed
  std::string chosen;  // asked for, and not begun yet
  bool asked = false;  // the list was asked for since the sheet was opened
};

void draw_python_sheet(const FrameContext& context, PythonSheetState& state, ViewSwitches& show, Commands& commands);

}  // namespace dlscope::app
