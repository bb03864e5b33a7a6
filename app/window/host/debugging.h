// Breakpoints and stops behind the window: keeps the breakpoint list and sends it to the host, chooses stack frames, reads source
// files.
// thread: UI.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/models/actions/commands.h"
#include "app/models/debug/breakpoint_list.h"
#include "app/models/jobs/job_pool.h"
#include "app/models/script/script_model.h"
#include "app/panels/debug/stack_panel.h"
#include "app/panels/script/script_panel.h"
#include "app/session/settings.h"
#include "app/window/host/host_connection.h"

namespace dlscope::app {

// The breakpoints, and the script as follow_script() last saw it.
struct ScriptBreakpoints {
  BreakpointList list;
  ScriptIdentity script = {};
  std::uint64_t told_revision = 0;  // of the list, when the document was last told of a change
  // Of the script's file when the texts of the breakpoints' lines were noted; nullopt: they are to be noted.
  std::optional<std::uint64_t> disk_hash = {};
};
// Where they are kept and sent.
struct BreakpointsContext {
  ScriptBreakpoints& breakpoints;
  Settings& settings;
  HostConnection& host;
};

// Call after each change of the list: stores it in the settings and sends it to the host.
void keep_breakpoints(const BreakpointsContext& with);
void send_breakpoints(const BreakpointList& breakpoints, const Settings& settings, HostConnection& host);
// Call before the script is run, which may be in the frame in which it was opened: its breakpoints count on the lines of its present
// text, which is `text`, from then on.
void run_breakpoints(const ScriptModel& script, std::shared_ptr<const std::string> text, const BreakpointsContext& with);
// Those of a script without a file, whose text is restored.
void restore_breakpoints(const std::vector<KeptBreakpoint>& kept, const BreakpointsContext& with);
void move_breakpoints(const command::MoveBreakpoints& moved, const BreakpointsContext& with);
// Once a frame, and when the script was opened or saved: when an unsaved script is saved, its breakpoints move to the file. When
// another script is opened, those of an unsaved one are dropped, and those of the opened file find their lines again. When the script
// is saved or reloaded, the texts of the lines with breakpoints are kept.
void follow_script(const ScriptModel& script, const BreakpointsContext& with);
// Once a frame: stores the options at the foot of the Stack panel in the settings and sends them to the host.
void follow_debug_options(const DebugOptionsState& chosen, const BreakpointsContext& with);
// Call with each new snapshot of the script: the first one after a run that ran out of memory tells what was alive then.
void note_memory_error(const core::Snapshot& snapshot, const HostSession& session, StackPanelState& panel);
// The console uses the names of this frame; the editor shows its line.
void choose_frame(std::uint32_t frame, HostConnection& host, ScriptPanelState& editor);
// view: outlives the job.
void read_source(const std::string& path, SourceViewState& view, JobPool& jobs, const BreakpointsContext& with);

}  // namespace dlscope::app
