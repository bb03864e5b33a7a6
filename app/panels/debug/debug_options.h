// Two choices at the foot of the stack: do other threads stand at a stop, do steps stop in the code of libraries. Kept with the settings;
// Python is told with the breakpoints (app/window/debugging).
#pragma once

#include <cstdint>

#include "core/wire/debugging.h"

namespace dlscope::app {

struct DebugOptionsState {
  bool others_stand = false, library_code = false;
};

void draw_debug_options(DebugOptionsState& state);

// Where the frames of another thread or task begin, in a list of frames: that of the one with this number. 0: the thread that stands.
[[nodiscard]] std::uint32_t first_of_stack(const core::wire::Stopped& stop, std::uint32_t frame);

}  // namespace dlscope::app
