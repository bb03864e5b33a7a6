#include "app/window/command_routes.h"

#include <algorithm>
#include <utility>

#include "app/models/text/time_stamp.h"
#include "app/window/debugging.h"
#include "app/window/exchange_work.h"
#include "app/window/heatmap_export.h"
#include "app/window/hex_work.h"
#include "app/window/looking_back.h"
#include "app/window/overloaded.h"
#include "app/window/panel_jobs.h"
#include "app/window/panel_settings.h"
#include "app/window/run_request.h"
#include "app/window/run_settings.h"
#include "app/window/saved_files.h"
#include "app/window/tensor_export.h"
#include "app/window/tensor_work.h"
#include "app/window/value_comparison.h"

namespace dlscope::app {
namespace {

core::SnapshotPtr shown_snapshot(const ApplicationParts& parts) {
  const IndexPtr& index = parts.views.index();
  return index ? index->snapshot : nullptr;
}

// Nothing was run to open it.
core::ReportInput report_of_file(const ApplicationParts& parts) {
  core::ReportInput input;
  input.run.script_path = parts.views.source().file->path;
  input.scanned = core::Scanned::end;
  return input;
}

// The run that the snapshot is of, what has happened since, and what is held now: a lease is taken or ends without a scan.
core::ReportInput report_of_script(const ApplicationParts& parts) {
  const ScriptLook& look = parts.script_look;
  core::ReportInput input;
  input.run = look.snapshot ? look.outcome : parts.host.session().outcome();
  input.scanned = look.scanned;
  const Moment moment = moment_of_script(parts);
  const bool may_be_held = look.snapshot && moment.since != Since::ended;
  input.held = may_be_held ? parts.host.leases().held_in(look.snapshot->info.revision).ids() : std::vector<std::uint32_t>();
  const std::string since = since_description(moment);
  if (!since.empty()) input.later.push_back("after the tensors were seen: " + since);
  return input;
}

// Whether the bytes of that tensor are known to be its own now.
bool is_its_own(std::uint32_t tensor, const ApplicationParts& parts) {
  const Moment moment = moment_of(parts);
  return surely_its_own(moment, state_of(moment, parts.views.held().contains(tensor)));
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

}  // namespace

void carry_out(const Command& command, ApplicationParts& parts) {
  Settings& settings = parts.settings.values();
  Selection& selection = parts.views.selection();
  if (const char* const why = refused_of_the_past(command, parts)) return static_cast<void>(parts.notices.add(Tone::warn, why));
  std::visit(
      Overloaded{
          // the host
          [&](const command::RunScript& script) {
            const auto with = settings_of_run(parts);
            if (!with) return parts.notices.add(Tone::warn, "Not run: " + with.error().message);
            parts.host.note_script(parts.document.model());
            note_run(parts.panels.script, parts.document.model().text_revision);
            session_event::RunAsked run = run_of_script(parts.document, *with);
            run.request.stop_at = script.stop_at;
            parts.host.ask(std::move(run));
          },
          [&](const command::RunText& run) {
            if (run.text.empty() || parts.host.session().console_refusal() != nullptr) return;
            parts.output.note(prompted(run.text));
            parts.host.ask(run_of_text(run, parts.document, settings_of_run(parts).value_or(RunSettings{})));
          },
          [&](const command::StopScript&) { parts.host.ask(session_event::StopAsked{}); },
          [&](const command::ResumeScript& resume) {
            parts.host.ask(session_event::ResumeAsked{resume.kind, resume.path, resume.line});
          },
          [&](const command::PauseScript&) { parts.host.ask(session_event::PauseAsked{}); },
          [&](const command::ChooseFrame& choose) { choose_frame(choose.frame, parts); },
          [&](const command::ReleaseFrames&) { parts.host.ask(session_event::ReleaseFramesAsked{}); },
          [&](const command::ToggleBreakpoint& toggle) {
            if (parts.breakpoints.toggle(toggle.path, toggle.line)) keep_breakpoints(parts);
          },
          [&](const command::PutBreakpoint& put) {
            if (parts.breakpoints.put(put.breakpoint)) keep_breakpoints(parts);
          },
          [&](const command::RemoveAllBreakpoints&) {
            if (parts.breakpoints.remove_all()) keep_breakpoints(parts);
          },
          [&](const command::MoveBreakpoints& moved) { move_breakpoints(moved, parts); },
          [&](const command::SetStopOnRaise& raise) {
            settings.stop_on_raise = raise.on;
            send_breakpoints(parts);
          },
          [&](const command::SetWatches& set) { settings.watches = set.expressions; },
          [&](const command::ReadSource& read) { read_source(read.path, parts.panels.script.source, parts.jobs); },
          [&](const command::KillHost&) {
            const core::SnapshotPtr& seen = parts.script_look.snapshot;
            const bool alive = seen && moment_of_script(parts).since != Since::ended;
            parts.host.kill(alive ? std::optional(seen->tensors.size()) : std::nullopt);
          },
          [&](const command::RestartHost&) { parts.host.restart(); },
          [&](const command::Rescan&) { parts.host.ask(session_event::ScanAsked{}); },
          [&](const command::AskPython& ask) { parts.host.want(ask.question); },
          [&](const command::SendInput& input) { parts.host.send_input(input.text); },
          [&](const command::ReadValues& read) {
            read_values(read.task, shown_memory(parts).for_workers(), parts.panels, parts.jobs);
          },
          [&](const command::WorkOnBytes& work) { work_on_bytes(work.task, shown_memory(parts).for_workers(), parts); },
          [&](const command::WriteBytes& write) { write_bytes(write.write, parts); },
          [&](const command::LookForPythons& look) { parts.pythons.look(settings.recent_pythons, look.asked); },
          [&](const command::ChoosePython& python) { choose_python(python.path, parts); },
          [&](const command::HoldMemory& hold) { hold_memory(hold, parts); },
          [&](const command::ReleaseMemory& release) { release_memory(release, parts); },
          [&](const command::ComputeStatistics& compute) {
            const bool own = is_its_own(compute.tensor, parts);
            (parts.views.looks_back() ? parts.past_statistics : parts.statistics).compute(compute.tensor, moment_of(parts), own);
          },
          [&](const command::DrawHeatmap& draw) {
            (parts.views.looks_back() ? parts.past_heatmap : parts.heatmap)
                .compute(draw.request, is_its_own(draw.request.tensor, parts));
          },
          [&](const command::SurveyTensors&) { parts.statistics.survey(moment_of(parts)); },
          [&](const command::SearchValues& search) { search_values(search, parts); },
          [&](const command::HandTo& hand) { hand_over(hand.work, parts); },
          [&](const command::CopyTensor& copy) { copy_tensor(copy.work, parts); },
          [&](const command::Prove& prove) { prove_tensors(prove.work, parts); },
          [&](const command::CompareValues& compare) { compare_values(compare, parts); },
          [&](const command::CompareWithMoment& with) { parts.compare_pictures.compare_with(with, parts); },
          [&](const command::DrawComparison& draw) { parts.compare_pictures.draw(draw); },
          [&](const command::FindMismatch& find) { parts.compare_pictures.find_mismatch(find, parts); },
          [&](const command::ExportTensor& request) { export_tensor(request, parts); },
          [&](const command::ExportHeatmap& request) { request.figure ? request_figure(parts) : export_heatmap(parts); },
          // the script
          [&](const command::OpenScript& open) {
            if (core::is_tensor_file(open.path))
              open_tensor_file(open.path, parts);
            else if (is_stream_trace_file(open.path))
              open_stream_trace(open.path, parts);
            else
              parts.document.open(open.path);
          },
          [&](const command::LeaveFile&) { leave_tensor_file(parts); },
          [&](const command::RememberTensor& remember) { remember_tensor(remember, parts); },
          [&](const command::ShowMoment& at) { look_at(at.moment, parts); },
          [&](const command::FindDifferences& find) { answer_differences(find.query, parts); },
          [&](const command::FindSinceWhen& find) { answer_since_when(find.query, parts); },
          [&](const command::MarkAgainst& mark) { mark_against(mark.moment, parts); },
          [&](const command::OpenTour&) {
            if (parts.options.tour_path.empty())
              parts.notices.add(Tone::warn, "The tour is not installed beside this program (assets/samples/tour.py).");
            else
              parts.document.open(parts.options.tour_path);
          },
          [&](const command::NewScript&) {
            parts.document.start_new();
            parts.panels.script.focus_editor = true;
          },
          [&](const command::SaveScript& save) { parts.document.save(save); },
          [&](const command::RestoreText& text) { parts.document.restore(text.id); },
          [&](const command::ReloadScript&) { parts.document.reload(); },
          [&](const command::KeepMine&) { parts.document.keep_mine(); },
          [&](const command::GoToSource& place) { parts.document.go_to(place.path, place.line - 1); },
          [&](const command::FindInScript& find) { find_in_script(find, parts.panels.script, parts.jobs); },
          [&](const command::ReplaceInScript& replace) { replace_in_script(replace, parts.panels.script, parts.jobs); },
          [&](const command::ReadFolder& read) { read_folder(read.folder, parts.panels.files, parts.jobs); },
          [&](const command::KeepHistory& typed) {
            keep_history(typed.entry, parts.jobs, parts.notices, parts.options.state_folder);
          },
          [&](const command::ClearOutput&) { parts.output.clear(); },
          // what is looked at
          [&](const command::SelectTensor& select) {
            selection.compare(core::kNone32);
            selection.select(select.tensor);
          },
          [&](const command::CompareTensor& other) { selection.compare(other.tensor); },
          [&](const command::Hover&) {},  // Application::carry_out() applies the last one of a frame
          [&](const command::Pin& at) { selection.pin(at.focus); },
          [&](const command::GoToFound& found) { go_to_found(found, parts); },
          [&](const command::Deselect&) {
            // Each call undoes one thing, in this order: selected cells, pin, comparison, view of the past.
            if (std::exchange(parts.panels.values.range, std::nullopt)) return;
            const bool holds = selection.pinned().on_tensor() || selection.compared() != core::kNone32;
            if (!holds && parts.views.looks_back()) return parts.views.back_to_now();
            selection.deselect();
          },
          [&](const command::AskRows& rows) { parts.views.order_rows_by(rows.query); },
          [&](const command::FindPlaces& find) {
            parts.views.find_places_for(find.query, [&parts](auto found) { parts.panels.palette.places = std::move(found); });
          },
          // the window
          [&](const command::SetScale& scale) {
            settings.scale = parts.options.scale = std::clamp(scale.scale, kMinScale, kMaxScale);
          },
          [&](const command::SetTheme& theme) { settings.theme = parts.options.theme = theme.theme; },
          [&](const command::SetLayout& layout) {
            switch_layout(std::exchange(parts.options.layout, layout.layout), layout.layout, parts.panels, settings);
          },
          [&](const command::SetReducedMotion& motion) { settings.reduced_motion = motion.reduced; },
          [&](const command::Rebind& change) { rebind(change, parts.keys, settings); },
          [&](const command::SavePicture&) { parts.wanted_picture = time_stamped("dlscope-", ".png"); },
          [&](const command::SaveReport&) {
            const std::string path = time_stamped("dlscope-report-", ".json");
            const bool file = shows_file(parts);
            save_report(parts.tasks, parts.notices, file ? report_of_file(parts) : report_of_script(parts),
                        file ? shown_snapshot(parts) : parts.script_look.snapshot, path);
          },
          [&](const command::CancelTask& task) { parts.tasks.cancel(task.id); },
          [&](const command::ClearTasks&) { parts.tasks.list().clear_ended(); },
          [&](const command::DismissNotice& notice) {
            parts.document.give_up(notice.id);
            parts.notices.dismiss(notice.id);
          },
          [&](const command::Ask& ask) { parts.panels.actions.ask_next(ask.action); },
          [&](const command::Quit&) { parts.quit = true; },
      },
      command);
}

}  // namespace dlscope::app
