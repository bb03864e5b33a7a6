#include "app/window/application_parts.h"

#include <utility>

#include "app/window/commands/panel_jobs.h"
#include "app/window/panel_settings.h"

namespace dlscope::app {
namespace {

DocumentSurroundings around_document(ApplicationParts& parts) {
  return {
      .jobs = parts.jobs,
      .notices = parts.notices,
      .editor_text = [&parts](std::uint64_t revision) { return editor_text_of(parts.panels.script, revision); },
      .breakpoints = [&parts] { return parts.breakpoints.list.of_unsaved(); },
      .restored = [&parts](const auto& breakpoints) { restore_breakpoints(breakpoints, breakpoints_of(parts)); },
      .replaced =
          [&parts] {
            follow_script(parts.document.model(), breakpoints_of(parts));
            // What a crash left, the stack above all, is nowhere else.
            if (parts.host.session().outcome().outcome != core::Outcome::crashed) parts.host.forget_outcome();
          },
      .used =
          [&parts](const std::string& path) {
            parts.settings.note_recent_file(path);
            follow_script(parts.document.model(), breakpoints_of(parts));
          },
      .show = [&parts](std::optional<std::size_t> line) { show_editor(parts.panels, line); },
      .choose_file =
          [&parts](const std::string& start) { show_file_browser(parts.panels.files, FileBrowserState::Purpose::open, start); },
      .choose_target =
          [&parts](const std::string& start) { show_file_browser(parts.panels.files, FileBrowserState::Purpose::save, start); },
  };
}

}  // namespace

ApplicationParts::ApplicationParts(ApplicationOptions choices, std::unique_ptr<HostLink> link)
    : options(std::move(choices)),
      settings(options.settings, options.settings_file),
      breakpoints{.list = BreakpointList(options.settings.breakpoints)},
      jobs(options.wake,
           [this](const std::string& why) {
             notices.add(Tone::bad, "A background job failed (" + why + "). What is shown may not be the newest.");
           }),
      tasks(jobs, options.wake),
      pythons(jobs),
      document(around_document(*this), {.state_folder = options.state_folder, .watch = link != nullptr, .wake = options.wake}),
      host(std::move(link), output, notices, tasks, options.wake, options.wake_to_look),
      tensors(jobs, tasks, notices, host),
      past(host, tasks, notices) {
  panels.arrange = options.layout;
  tensors.views.tensors().read_values_of(&tensors.statistics.store());
  tensors.views.on_indexed([this](const SnapshotIndex& index) {
    past.history.note_look(index.snapshot, index.colours, index.marks.before);
  });
  apply_settings(settings.values(), keys, panels, notices);
  host.on_breakpoints([this](const core::wire::BreakpointsChanged& said) { breakpoints.list.take(said); });
  send_breakpoints(breakpoints.list, settings.values(), host);
  load_history(panels.output.console.python.history, jobs, options.state_folder);
}

bool shows_file(const ApplicationParts& parts) { return parts.tensors.views.source().file != nullptr; }

const MemoryReaders& newest_memory(const ApplicationParts& parts) {
  const SnapshotSource& source = parts.tensors.views.newest_source();
  return source.file != nullptr ? source.file->memory : parts.host.memory();
}

const MemoryReaders& shown_memory(const ApplicationParts& parts) {
  if (parts.tensors.views.looks_back()) return parts.past.shown.memory;
  static const MemoryReaders nothing;
  return may_read_memory(moment_of(parts)) ? newest_memory(parts) : nothing;
}

const core::MemoryReader* reader_of_shown(const ApplicationParts& parts) {
  const SnapshotViews& views = parts.tensors.views;
  if (views.looks_back() && !views.held().contains(views.selection().selected())) return nullptr;
  return parts.tensors.seen->through(shown_memory(parts).for_frames());
}

RememberingContext remembering(ApplicationParts& parts) {
  return {parts.past, parts.tensors.views, parts.host, parts.jobs, parts.notices};
}

BreakpointsContext breakpoints_of(ApplicationParts& parts) {
  return {parts.breakpoints, parts.settings.values(), parts.host};
}

const HeatmapStore& shown_heatmap(const ApplicationParts& parts) {
  return (parts.tensors.views.looks_back() ? parts.past.heatmap : parts.tensors.heatmap).store();
}

Moment moment_of_script(const ApplicationParts& parts) {
  const ScriptScan& scan = parts.tensors.script_scan;
  return scan.snapshot ? parts.host.session().timeline().moment_of(scan.snapshot->info, scan.source.process) : Moment{};
}

Moment moment_of(const ApplicationParts& parts) {
  if (shows_file(parts)) return {.of_file = true, .file = parts.tensors.views.source().file->tensors};
  const IndexPtr& index = parts.tensors.views.index();
  if (parts.tensors.views.looks_back()) {
    const core::SnapshotInfo& info = index->snapshot->info;
    return {.run = info.run,
            .since = Since::looked_again,
            .since_run = info.scanned == core::Scanned::earlier ? info.run : 0,
            .at_stop = info.scanned == core::Scanned::stop};
  }
  if (!index) return {};
  return parts.host.session().timeline().moment_of(index->snapshot->info, parts.tensors.views.source().process);
}

ApplicationParts::~ApplicationParts() {
  static_cast<void>(document.close());
  jobs.finish(Lane::files);
  settings.close();
}

}  // namespace dlscope::app
