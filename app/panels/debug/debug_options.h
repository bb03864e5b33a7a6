// Two options at the foot of the stack: whether other threads stand still at a stop, and whether steps stop in library code.
// Stored in the settings and sent to Python with the breakpoints (app/window/debugging).
#pragma once

#include <cstdint>

#include "core/wire/debugging.h"

namespace dlscope::app {

struct DebugOptionsState {
  bool stop_others = false, library_code = false;
};

void draw_debug_options(DebugOptionsState& state);

// In a list of frames, the first frame of the thread or task that frame number `frame` belongs to. 0: the thread that stands at
// the stop.
[[nodiscard]] std::uint32_t first_of_stack(const core::wire::Stopped& stop, std::uint32_t frame);

}  // namespace dlscope::app
