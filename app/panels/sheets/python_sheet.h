// The sheet with this machine's Pythons: which exist, which can be used, with which libraries, and a path to type.
#pragma once

#include <string>

#include "app/models/actions/actions.h"
#include "app/models/actions/commands.h"
#include "app/panels/frame_context.h"

namespace dlscope::app {

struct PythonSheetState {
  std::string path;    // as typed
  std::string chosen;  // requested since the sheet was opened
  bool asked = false;  // the list was requested since the sheet was opened
};

void draw_python_sheet(const FrameContext& context, PythonSheetState& state, ViewSwitches& show, Commands& commands);

}  // namespace dlscope::app
