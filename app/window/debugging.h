// Breakpoints and stops behind the window: the list that is kept and sent to the host, the frame that is chosen, the sources shown.
// thread: UI.
#pragma once

#include "app/models/actions/commands.h"
#include "app/window/application_parts.h"

namespace dlscope::app {

// The list was changed: for the settings and the host.
void keep_breakpoints(ApplicationParts& parts);
void send_breakpoints(ApplicationParts& parts);
void move_breakpoints(const command::MoveBreakpoints& moved, ApplicationParts& parts);
// Once a frame: a script that got a file takes its breakpoints along, another script leaves those of an unsaved one behind.
void follow_script(ApplicationParts& parts);
// What was chosen at the foot of the stack is kept, and Python is told.
void follow_debug_options(ApplicationParts& parts);
// Its names are what the console sees; its line is shown.
void choose_frame(std::uint32_t frame, ApplicationParts& parts);
void read_source(const std::string& path, SourceViewState& view, JobPool& jobs);

}  // namespace dlscope::app
