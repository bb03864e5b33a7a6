#include "app/window/host/debugging.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "app/models/debug/line_edits.h"
#include "app/models/tensors/largest.h"

namespace dlscope::app {

void send_breakpoints(const BreakpointList& breakpoints, const Settings& settings, HostConnection& host) {
  core::wire::SetBreakpoints all;
  all.all = breakpoints.to_send();
  all.on_raise = settings.stop_on_raise;
  all.on_uncaught = settings.stop_on_uncaught;
  all.user_code_only = !settings.library_code;
  all.stop_others = settings.stop_others;
  host.set_breakpoints(std::move(all));
}

void keep_breakpoints(const BreakpointsContext& with) {
  with.settings.breakpoints = with.breakpoints.list.to_keep();
  with.breakpoints.disk_hash.reset();  // follow_script() notes the texts of their lines once these are the file's
  send_breakpoints(with.breakpoints.list, with.settings, with.host);
}

void run_breakpoints(const ScriptModel& script, std::shared_ptr<const std::string> text, const BreakpointsContext& with) {
  follow_script(script, with);
  if (with.breakpoints.list.run(source_path(script.path), std::move(text)))
    send_breakpoints(with.breakpoints.list, with.settings, with.host);
}

void restore_breakpoints(const std::vector<KeptBreakpoint>& kept, const BreakpointsContext& with) {
  if (with.breakpoints.list.put_unsaved(kept)) keep_breakpoints(with);
}

void move_breakpoints(const command::MoveBreakpoints& moved, const BreakpointsContext& with) {
  bool changed = false;
  for (const LineEdit& edit : moved.edits) changed = with.breakpoints.list.follow(moved.path, edit) || changed;
  if (changed) keep_breakpoints(with);
}

void follow_script(const ScriptModel& script, const BreakpointsContext& with) {
  const ScriptIdentity& known = with.breakpoints.script;
  const bool same_script = known.document == script.document && known.path == script.path;
  const bool is_noted = script.modified || with.breakpoints.disk_hash == script.disk_hash;
  if (same_script && is_noted) return;  // called each frame: no allocation here
  const bool opened = known.document != script.document && !script.keep_place;  // a reload: its edits follow (MoveBreakpoints)
  with.breakpoints.disk_hash = script.disk_hash;
  const ScriptIdentity now = script.identity(), before = std::exchange(with.breakpoints.script, now);
  const bool was_unsaved = before.path.empty();
  bool changed = false;
  if (was_unsaved && !same_script) {
    changed = opened ? with.breakpoints.list.remove_of(kUnsavedScript)
                     : with.breakpoints.list.rename(kUnsavedScript, source_path(now.path));
  }
  const std::string path = source_path(now.path);
  if (opened)
    changed = with.breakpoints.list.find_lines(path, script.text) || changed;
  else if (!now.path.empty())
    changed = with.breakpoints.list.note_lines(path, script.saved_text) || changed;
  if (changed) keep_breakpoints(with);
}

void follow_debug_options(const DebugOptionsState& chosen, const BreakpointsContext& with) {
  Settings& kept = with.settings;
  if (kept.stop_others == chosen.stop_others && kept.library_code == chosen.library_code) return;
  kept.stop_others = chosen.stop_others;
  kept.library_code = chosen.library_code;
  send_breakpoints(with.breakpoints.list, kept, with.host);
}

void note_memory_error(const core::Snapshot& snapshot, const HostSession& session, StackPanelState& panel) {
  if (snapshot.sharing_not_yet()) return;  // without groups nobody knows what is large; another snapshot follows
  const bool of_this_run = session.ended() != nullptr && snapshot.info.run == session.ended_run();
  if (!of_this_run || panel.alive_of == session.ended_run() || !is_out_of_memory(session.outcome())) return;
  panel.alive_of = session.ended_run();
  panel.alive = alive_text(snapshot);
}

void choose_frame(std::uint32_t frame, HostConnection& host, ScriptPanelState& editor) {
  host.ask(session_event::FrameChosen{frame});
  editor.shown_frame = 0;  // so that the frame is brought into view even when it was already chosen
}

void read_source(const std::string& path, SourceViewState& view, JobPool& jobs, const BreakpointsContext& with) {
  jobs.post(Lane::files,
                  [&view, with, path](const std::stop_token&) -> JobPool::Apply {
                    auto text = std::make_shared<core::Result<FileText>>(read_script_file(path));
                    return [&view, with, path, text] {
                      if (view.path != path) return;  // another one is wanted by now
                      view.failure = *text ? std::string() : text->error().message;
                      if (!*text) return;  // what was shown last stays, to be compared with what comes next
                      std::string now = std::move((*text)->text);
                      if (now == view.text) return;
                      // Another program changed it since it was shown last: its breakpoints go with their lines.
                      if (!view.text.empty())
                        move_breakpoints({path, line_edits_between(view.text, now)}, with);
                      else if (with.breakpoints.list.find_lines(path, now))
                        keep_breakpoints(with);
                      if (with.breakpoints.list.note_lines(path, now)) keep_breakpoints(with);
                      if (view.reveal_line == 0) view.reveal_line = source_cursor_line(view);
                      view.text = std::move(now);
                      ++view.text_revision;
                    };
                  },
                  {JobKind::read_source});
}

}  // namespace dlscope::app
