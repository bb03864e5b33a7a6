// The stack at a stop: why the script stands there, the called functions, and which of them the console uses; below it the
// watches.
#pragma once

#include <cstdint>
#include <string>

#include "app/models/actions/commands.h"
#include "app/panels/debug/debug_options.h"
#include "app/panels/debug/watch_list.h"
#include "app/panels/frame_context.h"

namespace dlscope::app {

struct StackPanelState {
  bool unfold = false;  // show library frames, too
  std::uint64_t alive_of = 0;  // HostSession::ended_run() that `alive` is of; 0: none
  std::string alive;           // what held the memory when it ran out, as text
  WatchListState watches;
  DebugOptionsState options;
  std::uint64_t stacks_asked = 0;  // ticket of the newest question about another thread's frames
};

void draw_stack_panel(const FrameContext& context, StackPanelState& state, Commands& commands);

}  // namespace dlscope::app
