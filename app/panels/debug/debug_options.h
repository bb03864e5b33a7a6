// Two options at the foot of the stack: whether other threads stand still at a stop, and whether steps stop in library code.
// Stored in the settings and sent to Python with the breakpoints (app/window/host/debugging).
#pragma once

namespace dlscope::app {

struct DebugOptionsState {
  bool stop_others = false, library_code = false;
};

void draw_debug_options(DebugOptionsState& state);

}  // namespace dlscope::app
