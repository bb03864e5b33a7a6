#include "app/window/commands/command_routes.h"

#include <algorithm>
#include <utility>

#include "app/models/text/time_stamp.h"
#include "app/window/commands/exchange_work.h"
#include "app/window/commands/heatmap_export.h"
#include "app/window/commands/hex_work.h"
#include "app/window/commands/leaving.h"
#include "app/window/commands/panel_jobs.h"
#include "app/window/commands/run_request.h"
#include "app/window/commands/run_settings.h"
#include "app/window/commands/saved_files.h"
#include "app/window/commands/tensor_export.h"
#include "app/window/commands/tensor_work.h"
#include "app/window/commands/value_comparison.h"
#include "app/window/history/looking_back.h"
#include "app/window/host/debugging.h"
#include "app/window/panel_settings.h"

namespace dlscope::app {
namespace {

using Parts = ApplicationParts;

core::SnapshotPtr shown_snapshot(const ApplicationParts& parts) {
  const IndexPtr& index = parts.tensors.views.index();
  return index ? index->snapshot : nullptr;
}

// Nothing was run to open it.
core::ReportInput report_of_file(const ApplicationParts& parts) {
  core::ReportInput input;
  input.run.script_path = parts.tensors.views.source().file->path;
  input.scanned = core::Scanned::end;
  return input;
}

// The run that the snapshot is of, what has happened since, and what is held now: a lease is taken or ends without a scan.
core::ReportInput report_of_script(const ApplicationParts& parts) {
  const ScriptScan& scan = parts.tensors.script_scan;
  core::ReportInput input;
  input.run = scan.snapshot ? scan.outcome : parts.host.session().outcome();
  input.scanned = scan.scanned;
  const Moment moment = moment_of_script(parts);
  const bool may_be_held = scan.snapshot && moment.since != Since::ended;
  input.held = may_be_held ? parts.host.leases().held_in(scan.snapshot->info.revision).ids() : std::vector<std::uint32_t>();
  const std::string since = since_description(moment);
  if (!since.empty()) input.later.push_back("after the tensors were seen: " + since);
  return input;
}

// Whether the bytes of that tensor are known to be its own now.
bool is_its_own(std::uint32_t tensor, const ApplicationParts& parts) {
  const Moment moment = moment_of(parts);
  return surely_its_own(moment, state_of(moment, parts.tensors.views.held().contains(tensor)));
}

// The Python in use, and the setting, stay until the other one is known to be usable.
void choose_python(const std::string& path, ApplicationParts& parts) {
  if (path.empty() || !parts.host.exists()) return;
  const bool agreed = parts.host.agreed_to_python(path);
  const auto take = [&parts, path, agreed](const PythonChoice& python) {
    if (!agreed && !parts.host.may_choose_python(path)) return;
    parts.settings.values().python = python.executable;
    parts.settings.note_recent_python(python.executable);
    parts.host.choose_python(python);
    parts.panels.menu.show.pythons = false;
  };
  const auto refuse = [&parts](const std::string& why) {
    if (!parts.panels.menu.show.pythons) parts.notices.add(Tone::warn, why + ". The Python in use stays.");
  };
  parts.pythons.try_out(path, take, refuse);
}

// ---- the run and Python ----

void route(const command::RunScript& script, Parts& parts) {
  const auto with = settings_of_run(parts);
  if (!with) return parts.notices.add(Tone::warn, "Not run: " + with.error().message);
  parts.host.note_script(parts.document.model());
  note_run(parts.panels.script, parts.document.model().text_revision);
  run_breakpoints(parts.document.model(), parts.document.text(), breakpoints_of(parts));
  session_event::RunAsked run = run_of_script(parts.document, *with);
  run.request.stop_at = script.stop_at;
  parts.host.ask(std::move(run));
}
void route(const command::RunText& run, Parts& parts) {
  if (run.text.empty() || parts.host.session().console_refusal() != nullptr) return;
  parts.output.note(prompted(run.text));
  if (run.of_script) run_breakpoints(parts.document.model(), parts.document.text(), breakpoints_of(parts));
  parts.host.ask(run_of_text(run, parts.document, settings_of_run(parts).value_or(RunSettings{})));
}
void route(const command::InterruptScript&, Parts& parts) { parts.host.ask(session_event::InterruptAsked{}); }
void route(const command::KillHost&, Parts& parts) {
  const core::SnapshotPtr& seen = parts.tensors.script_scan.snapshot;
  const bool alive = seen && moment_of_script(parts).since != Since::ended;
  parts.host.kill(alive ? std::optional(seen->tensors.size()) : std::nullopt);
}
void route(const command::RestartHost&, Parts& parts) { parts.host.restart(); }
void route(const command::Rescan&, Parts& parts) { parts.host.ask(session_event::ScanAsked{}); }
void route(const command::AskPython& ask, Parts& parts) { parts.host.want(ask.question); }
void route(const command::SendInput& input, Parts& parts) { parts.host.send_input(input.text); }
void route(const command::LookForPythons& look, Parts& parts) {
  parts.pythons.look(parts.settings.values().recent_pythons, look.asked);
}
void route(const command::ChoosePython& python, Parts& parts) { choose_python(python.path, parts); }

// ---- stops and breakpoints ----

void route(const command::ResumeScript& resume, Parts& parts) {
  parts.host.ask(session_event::ResumeAsked{resume.kind, {}, 0});
}
void route(const command::RunToLine& to, Parts& parts) {
  if (parts.host.session().stop() != nullptr) {
    const std::uint32_t line = parts.breakpoints.list.run_lines().in_code(to.path, to.line);
    if (line == 0)
      return parts.notices.add(Tone::warn, "Not run to there: that line was written after the script was started.");
    return parts.host.ask(session_event::ResumeAsked{core::wire::ResumeKind::run_to, to.path, line});
  }
  const bool in_script = to.path == source_path(parts.document.model().path);
  const std::string line = std::to_string(to.line);
  route(command::RunScript{.stop_at = in_script ? line : to.path + ":" + line}, parts);
}
void route(const command::PauseScript&, Parts& parts) { parts.host.ask(session_event::PauseAsked{}); }
void route(const command::ChooseFrame& choose, Parts& parts) { choose_frame(choose.frame, parts.host, parts.panels.script); }
void route(const command::ReleaseFrames&, Parts& parts) { parts.host.ask(session_event::ReleaseFramesAsked{}); }
void route(const command::ToggleBreakpoint& toggle, Parts& parts) {
  if (!parts.breakpoints.list.toggle(toggle.path, toggle.line)) return;
  const SourceViewState& shown = parts.panels.script.source;
  if (toggle.path == shown.path) static_cast<void>(parts.breakpoints.list.note_lines(shown.path, shown.text));
  keep_breakpoints(breakpoints_of(parts));
}
void route(const command::PutBreakpoint& put, Parts& parts) {
  if (parts.breakpoints.list.put(put.breakpoint)) keep_breakpoints(breakpoints_of(parts));
}
void route(const command::RemoveAllBreakpoints&, Parts& parts) {
  if (parts.breakpoints.list.remove_all()) keep_breakpoints(breakpoints_of(parts));
}
void route(const command::MoveBreakpoints& moved, Parts& parts) { move_breakpoints(moved, breakpoints_of(parts)); }
void route(const command::SetStopOnRaise& raise, Parts& parts) {
  parts.settings.values().stop_on_raise = raise.on;
  send_breakpoints(parts.breakpoints.list, parts.settings.values(), parts.host);
}
void route(const command::SetStopOnUncaught& uncaught, Parts& parts) {
  parts.settings.values().stop_on_uncaught = uncaught.on;
  send_breakpoints(parts.breakpoints.list, parts.settings.values(), parts.host);
}
void route(const command::SetWatches& set, Parts& parts) { parts.settings.values().watches = set.expressions; }
void route(const command::ReadSource& read, Parts& parts) {
  read_source(read.path, parts.panels.script.source, parts.jobs, breakpoints_of(parts));
}

// ---- tensors ----

void route(const command::ReadValues& read, Parts& parts) {
  read_values(read.task, shown_memory(parts).for_workers(), parts.panels, parts.jobs);
}
void route(const command::WorkOnBytes& work, Parts& parts) {
  work_on_bytes(work.task, shown_memory(parts).for_workers(), parts);
}
void route(const command::WriteBytes& write, Parts& parts) { write_bytes(write.write, parts); }
void route(const command::HoldMemory& hold, Parts& parts) { hold_memory(hold, parts); }
void route(const command::ReleaseMemory& release, Parts& parts) { release_memory(release, parts); }
void route(const command::ComputeStatistics& compute, Parts& parts) {
  const bool own = is_its_own(compute.tensor, parts);
  const bool back = parts.tensors.views.looks_back();
  (back ? parts.past.statistics : parts.tensors.statistics).compute(compute.tensor, moment_of(parts), own, compute.field);
}
void route(const command::ChooseField& choose, Parts& parts) {
  const IndexPtr& index = parts.tensors.views.index();
  if (index && choose.tensor < index->size()) parts.tensors.fields.choose(*index, choose.tensor, choose.field);
}
void route(const command::DrawHeatmap& draw, Parts& parts) {
  HeatmapWork& heatmap = parts.tensors.views.looks_back() ? parts.past.heatmap : parts.tensors.heatmap;
  heatmap.compute(draw.request, is_its_own(draw.request.tensor, parts));
}
void route(const command::SurveyTensors&, Parts& parts) { parts.tensors.statistics.survey(moment_of(parts)); }
void route(const command::SearchValues& search, Parts& parts) { search_values(search, parts); }
void route(const command::HandTo& hand, Parts& parts) { hand_over(hand.work, parts); }
void route(const command::CopyTensor& copy, Parts& parts) { copy_tensor(copy.work, parts); }
void route(const command::ChooseSlice& choose, Parts& parts) { choose_slice(choose, parts); }
void route(const command::Prove& prove, Parts& parts) { prove_tensors(prove.work, parts); }
void route(const command::CompareValues& compare, Parts& parts) { compare_values(compare, parts); }
void route(const command::CompareWithMoment& with, Parts& parts) { parts.tensors.compare.compare_with(with, parts); }
void route(const command::CompareWithFile& with, Parts& parts) { parts.tensors.compare.compare_with(with, parts); }
void route(const command::CompareWithFileTensor& with, Parts& parts) { parts.tensors.compare.file().choose(with.tensor); }
void route(const command::DrawComparison& draw, Parts& parts) { parts.tensors.compare.draw(draw); }
void route(const command::FindMismatch& find, Parts& parts) { parts.tensors.compare.find_mismatch(find, parts); }
void route(const command::ExportTensor& request, Parts& parts) { export_tensor(request, parts); }
void route(const command::ExportHeatmap& request, Parts& parts) {
  request.figure ? request_figure(parts) : export_heatmap(parts);
}

// ---- the script, files and the past ----

void route(const command::OpenScript& open, Parts& parts) {
  if (core::is_tensor_file(open.path))
    open_tensor_file(open.path, parts);
  else if (is_stream_trace_file(open.path))
    open_stream_trace(open.path, parts);
  else
    parts.document.open(open.path);
}
void route(const command::LeaveFile&, Parts& parts) { leave_tensor_file(parts); }
void route(const command::RememberTensor& remember, Parts& parts) {
  remember_tensor(remember, moment_of(parts), remembering(parts));
}
void route(const command::ShowMoment& at, Parts& parts) { look_at(at.moment, parts.past, parts.tensors.views, parts.notices); }
void route(const command::FindDifferences& find, Parts& parts) { answer_differences(find.query, parts.past, parts.jobs); }
void route(const command::FindSinceWhen& find, Parts& parts) { answer_since_when(find.query, parts.past, parts.jobs); }
void route(const command::MarkAgainst& mark, Parts& parts) { mark_against(mark.moment, parts.past, parts.tensors.views); }
void route(const command::OpenTour&, Parts& parts) {
  if (parts.options.tour_path.empty())
    parts.notices.add(Tone::warn, "The tour is not installed beside this program (assets/samples/tour.py).");
  else
    parts.document.open(parts.options.tour_path);
}
void route(const command::NewScript&, Parts& parts) {
  parts.document.start_new();
  parts.panels.script.focus_editor = true;
}
void route(const command::SaveScript& save, Parts& parts) { parts.document.save(save); }
void route(const command::RestoreText& text, Parts& parts) { parts.document.restore(text.id); }
void route(const command::ReloadScript&, Parts& parts) { parts.document.reload(); }
void route(const command::KeepMine&, Parts& parts) { parts.document.keep_mine(); }
void route(const command::GoToSource& place, Parts& parts) { parts.document.go_to(place.path, place.line - 1); }
void route(const command::FindInScript& find, Parts& parts) { find_in_script(find, parts.panels.script, parts.jobs); }
void route(const command::ReplaceInScript& replace, Parts& parts) { replace_in_script(replace, parts.panels.script, parts.jobs); }
void route(const command::ReadFolder& read, Parts& parts) { read_folder(read.folder, parts.panels.files, parts.jobs); }
void route(const command::KeepHistory& typed, Parts& parts) {
  keep_history(typed.entry, parts.jobs, parts.notices, parts.options.state_folder);
}
void route(const command::ClearOutput&, Parts& parts) { parts.output.clear(); }

// ---- the selection ----

void route(const command::SelectTensor& select, Parts& parts) {
  parts.tensors.views.selection().compare(core::kNone32);
  parts.tensors.views.selection().select(select.tensor);
}
void route(const command::CompareTensor& other, Parts& parts) { parts.tensors.views.selection().compare(other.tensor); }
void route(const command::Hover&, Parts&) {}  // Application::carry_out() applies the last one of a frame
void route(const command::Pin& at, Parts& parts) { parts.tensors.views.selection().pin(at.focus); }
void route(const command::GoToFound& found, Parts& parts) { go_to_found(found, parts); }
void route(const command::Deselect&, Parts& parts) {
  // Each call undoes one thing, in this order: selected cells, pin, comparison, view of the past.
  if (std::exchange(parts.panels.values.range, std::nullopt)) return;
  Selection& selection = parts.tensors.views.selection();
  const bool holds = selection.pinned().on_tensor() || selection.compared() != core::kNone32;
  if (!holds && parts.tensors.views.looks_back()) return parts.tensors.views.back_to_now();
  selection.deselect();
}
void route(const command::AskRows& rows, Parts& parts) { parts.tensors.views.order_rows_by(rows.query); }
void route(const command::FindPlaces& find, Parts& parts) {
  parts.tensors.views.find_places_for(find.query, [&parts](auto found) { parts.panels.palette.places = std::move(found); });
}

// ---- the window ----

void route(const command::SetScale& scale, Parts& parts) {
  parts.settings.values().scale = parts.options.scale = std::clamp(scale.scale, kMinScale, kMaxScale);
}
void route(const command::SetTheme& theme, Parts& parts) {
  parts.settings.values().theme = parts.options.theme = theme.theme;
}
void route(const command::SetLayout& layout, Parts& parts) {
  const auto before = std::exchange(parts.options.layout, layout.layout);
  switch_layout(before, layout.layout, parts.panels, parts.settings.values());
}
void route(const command::SetReducedMotion& motion, Parts& parts) {
  parts.settings.values().reduced_motion = motion.reduced;
}
void route(const command::Rebind& change, Parts& parts) { rebind(change, parts.keys, parts.settings.values()); }
void route(const command::SavePicture&, Parts& parts) { parts.pictures.window = time_stamped("dlscope-", ".png"); }
void route(const command::SaveReport&, Parts& parts) {
  const bool file = shows_file(parts);
  save_report(parts.tasks, parts.notices, file ? report_of_file(parts) : report_of_script(parts),
              file ? shown_snapshot(parts) : parts.tensors.script_scan.snapshot, time_stamped("dlscope-report-", ".json"));
}
void route(const command::SaveText& save, Parts& parts) {
  save_text(parts.tasks, parts.notices, save.what, save.text, time_stamped(save.prefix, save.suffix));
}
void route(const command::CancelTask& task, Parts& parts) { parts.tasks.cancel(task.id); }
void route(const command::ClearTasks&, Parts& parts) { parts.tasks.list().clear_ended(); }
void route(const command::DismissNotice& notice, Parts& parts) {
  parts.document.give_up(notice.id);
  parts.notices.dismiss(notice.id);
}
void route(const command::Ask& ask, Parts& parts) { parts.panels.actions.ask_next(ask.action); }
void route(const command::Quit&, Parts& parts) { leave_window(parts); }

}  // namespace

void carry_out(const Command& command, ApplicationParts& parts) {
  if (const char* const why = refused_of_the_past(command, parts.tensors.views)) {
    parts.notices.add(Tone::warn, why);
    return;
  }
  std::visit([&parts](const auto& each) { route(each, parts); }, command);  // no route: does not compile
}

}  // namespace dlscope::app
