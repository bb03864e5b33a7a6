// Breakpoints and stops behind the window: keeps the breakpoint list and sends it to the host, chooses stack frames, reads source
// files.
// thread: UI.
#pragma once

#include "app/models/actions/commands.h"
#include "app/window/application_parts.h"

namespace dlscope::app {

// Call after each change of the list: stores it in the settings and sends it to the host.
void keep_breakpoints(ApplicationParts& parts);
void send_breakpoints(const BreakpointList& breakpoints, const Settings& settings, HostConnection& host);
void move_breakpoints(const command::MoveBreakpoints& moved, ApplicationParts& parts);
// Once a frame: when an unsaved script is saved, its breakpoints move to the file; when another script is opened, they are
// dropped.
void follow_script(ApplicationParts& parts);
// Once a frame: stores the options at the foot of the Stack panel in the settings and sends them to the host.
void follow_debug_options(ApplicationParts& parts);
// Call with each new snapshot of the script: the first one after a run that ran out of memory tells what was alive then.
void note_memory_error(const core::Snapshot& snapshot, const HostSession& session, StackPanelState& panel);
// The console uses the names of this frame; the editor shows its line.
void choose_frame(std::uint32_t frame, HostConnection& host, ScriptPanelState& editor);
void read_source(const std::string& path, ApplicationParts& parts);

}  // namespace dlscope::app
