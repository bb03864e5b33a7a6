// Two choices at the foot of the stack: do other threads stand at a stop, do steps stop in the code of libraries. Python is told when
// one of them changes, and again after a restart.
#pragma once

#include <cstdint>

#include "app/panels/frame_context.h"

namespace dlscope::app {

struct DebugOptionsState {
  bool others_stand = false, library_code = false;
  std::uint64_t told_process = 0;  // HostSession::first_run_of_process() when it was told last
  std::uint64_t ticket = 0;        // of the newest question
};

void draw_debug_options(const FrameContext& context, DebugOptionsState& state, Commands& commands);

// Where the frames of another thread or task begin, in a list of frames: that of the one with this number. 0: the thread that stands.
[[nodiscard]] std::uint32_t first_of_stack(const core::wire::Stopped& stop, std::uint32_t frame);

}  // namespace dlscope::app
