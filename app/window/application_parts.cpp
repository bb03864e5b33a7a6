#include "app/window/application_parts.h"

#include <utility>

#include "app/window/debugging.h"
#include "app/window/panel_jobs.h"
#include "app/window/panel_settings.h"

namespace dlscope::app {
namespace {

DocumentSurroundings around_document(ApplicationParts& parts) {
  return {
      .jobs = parts.jobs,
      .notices = parts.notices,
      .editor_text = [&parts](std::uint64_t revision) { return editor_text_of(parts.panels.script, revision); },
      .replaced = [&parts] { parts.host.forget_outcome(); },
      .used = [&parts](const std::string& path) { parts.settings.note_recent_file(path); },
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
      breakpoints(options.settings.breakpoints),
      jobs(options.wake,
           [this](const std::string& why) {
             notices.add(Tone::bad, "A background job failed (" + why + "). What is shown may not be the newest.");
           }),
      tasks(jobs, options.wake),
      pythons(jobs),
      views(jobs, notices),
      document(around_document(*this), {.state_folder = options.state_folder, .watch = link != nullptr, .wake = options.wake}),
      host(std::move(link), output, notices, tasks, options.wake, options.wake_to_look),
      statistics(host, tasks, notices),
      heatmap(host, tasks),
      compare_pictures(host, tasks),
      past_statistics(host, tasks, notices),
      past_heatmap(host, tasks) {
  panels.arrange = options.layout;
  views.tensors().read_values_of(&statistics.store());
  views.on_indexed([this](const SnapshotIndex& index) {
    history.note_look(index.snapshot, index.colours, index.marks.before);
  });
  apply_settings(settings.values(), keys, panels, notices);
  host.on_breakpoints([this](const core::wire::BreakpointsChanged& said) { breakpoints.take(said); });
  send_breakpoints(breakpoints, settings.values(), host);
  load_history(panels.output.console.history, jobs, options.state_folder);
}

bool shows_file(const ApplicationParts& parts) { return parts.views.source().file != nullptr; }

const MemoryReaders& newest_memory(const ApplicationParts& parts) {
  const SnapshotSource& source = parts.views.newest_source();
  return source.file != nullptr ? source.file->memory : parts.host.memory();
}

const MemoryReaders& shown_memory(const ApplicationParts& parts) {
  if (parts.views.looks_back()) return parts.remembered_past.memory;
  return may_read_memory(moment_of(parts)) ? newest_memory(parts) : parts.nothing_to_read;
}

const HeatmapStore& shown_heatmap(const ApplicationParts& parts) {
  return (parts.views.looks_back() ? parts.past_heatmap : parts.heatmap).store();
}

Moment moment_of_script(const ApplicationParts& parts) {
  const ScriptScan& scan = parts.script_scan;
  return scan.snapshot ? parts.host.session().timeline().moment_of(scan.snapshot->info, scan.source.process) : Moment{};
}

Moment moment_of(const ApplicationParts& parts) {
  if (shows_file(parts)) return {.of_file = true, .file = parts.views.source().file->tensors};
  const IndexPtr& index = parts.views.index();
  if (parts.views.looks_back()) {
    const core::SnapshotInfo& info = index->snapshot->info;
    return {.run = info.run,
            .since = Since::looked_again,
            .since_run = info.scanned == core::Scanned::earlier ? info.run : 0,
            .at_stop = info.scanned == core::Scanned::stop};
  }
  return index ? parts.host.session().timeline().moment_of(index->snapshot->info, parts.views.source().process) : Moment{};
}

ApplicationParts::~ApplicationParts() {
  document.close();
  jobs.finish(Lane::files);
  settings.close();
}

}  // namespace dlscope::app
