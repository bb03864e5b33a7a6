#include "app/window/application.h"

#include <new>
#include <string_view>

#include "app/window/commands/command_routes.h"
#include "app/window/commands/dropped_files.h"
#include "app/window/commands/exchange_work.h"
#include "app/window/commands/run_settings.h"
#include "app/window/commands/saved_files.h"
#include "app/window/history/looking_back.h"
#include "app/window/host/debugging.h"
#include "app/window/panel_settings.h"
#include "core/inventory/stopped_sharing.h"

namespace dlscope::app {
namespace {

// A run that had not ended when its tensors were looked at may have ended since.
void follow_outcome(ScriptScan& scan, const HostSession& session) {
  if (scan.snapshot && scan.outcome.outcome == core::Outcome::not_run) scan.outcome = session.outcome_of(scan.snapshot->info.run);
}

// In place of the unfinished snapshot of a scan that is over; the process that it is of may have been replaced since.
void show_settled(core::SnapshotPtr settled, ApplicationParts& parts) {
  ScriptScan& scan = parts.tensors.script_scan;
  scan.snapshot = settled;
  scan.settling = false;
  scan.source.moment = keep_moment(settled, scan.source.process, parts.past.history, parts.jobs);
  note_memory_error(*settled, parts.host.session(), parts.panels.stack);
  if (!shows_file(parts)) parts.tensors.views.show(std::move(settled), scan.source, parts.host.comparable_from());
}

// A scan that ended or died before it had worked out sharing sends no final snapshot: the sharing of the last one is marked as
// stopped. The copy is made in a job, because it may be of a million tensors.
void settle_unfinished(ApplicationParts& parts) {
  ScriptScan& scan = parts.tensors.script_scan;
  if (!scan.snapshot || !scan.snapshot->sharing_not_yet() || scan.settling) return;
  const HostState state = parts.host.session().state();
  if (state == HostState::scanning || state == HostState::stopping || parts.host.session().finishes_scan_of_left_stop()) return;
  scan.settling = true;
  parts.jobs.post(Lane::views, [&parts, unfinished = scan.snapshot](const std::stop_token&) -> JobPool::Apply {
    try {
      const auto settled = core::with_sharing_stopped(*unfinished);
      return [&parts, unfinished, settled] {
        if (parts.tensors.script_scan.snapshot == unfinished) show_settled(settled, parts);
      };
    } catch (const std::bad_alloc&) {
      return [&parts] {
        parts.notices.add(Tone::bad,
                          "The scan ended before sharing was worked out, and there is no memory to say so in every view.");
      };
    }
  });
}

// The title of the script that the last run was of; "": it is the one in the editor, or there was no run.
std::string_view other_script(const ApplicationParts& parts) {
  const ScriptIdentity& run = parts.host.session().script_of_run();
  if (run.document == 0 || parts.document.model().is_the_one_of(run)) return {};
  return run.path.empty() ? "untitled" : std::string_view(run.path).substr(run.path.rfind('/') + 1);
}

}  // namespace

Application::Application(ApplicationOptions options, std::unique_ptr<HostLink> link)
    : parts_(std::move(options), std::move(link)) {}
Application::~Application() = default;

bool Application::update() {
  const Moment before_events = moment();
  follow_run_settings(parts_);
  apply_arrangement(parts_.settings.values(), parts_.panels);
  bool changed = parts_.jobs.apply_finished() > 0;
  changed = parts_.host.update() || changed;
  changed = parts_.document.update() || changed;
  follow_script(parts_.document.model(), breakpoints_of(parts_));
  follow_debug_options(parts_.panels.stack.options, breakpoints_of(parts_));
  changed = parts_.tasks.update() || changed;
  for (ArrivedSnapshot& arrived : parts_.host.take_snapshots()) {
    note_memory_error(*arrived.snapshot, parts_.host.session(), parts_.panels.stack);
    show_arrived(std::move(arrived));
  }
  settle_unfinished(parts_);
  follow_outcome(parts_.tensors.script_scan, parts_.host.session());
  // Statistics and heat maps are those of the newest snapshot, also while a past moment is shown.
  const SnapshotViews& views = parts_.tensors.views;
  const bool file = views.newest_source().file != nullptr, back = views.looks_back();
  const auto own_reader = file || !parts_.host.exists() ? newest_memory(parts_).for_workers() : nullptr;
  parts_.tensors.statistics.show(views.newest_index(), views.newest_source().process, own_reader);
  changed = parts_.tensors.statistics.update() || changed;
  parts_.tensors.heatmap.show(views.newest_index(), views.newest_source().process, own_reader);
  changed = parts_.tensors.heatmap.update() || changed;
  parts_.tensors.views.tensors().read_values_of(back ? nullptr : &parts_.tensors.statistics.store());
  parts_.tensors.views.sort_values_by(back ? nullptr : parts_.tensors.statistics.store().surveyed());
  parts_.tensors.touches.follow(index(), parts_.tensors.views.selection().selected());
  follow_remembered(remembering(parts_));
  if (back) changed = parts_.past.statistics.update() || parts_.past.heatmap.update() || changed;
  if (const IndexPtr& shown = index(); shown && !file && !back)
    parts_.tensors.views.show_held(parts_.host.leases().held_in(shown->snapshot->info.revision));
  changed = parts_.tensors.compare.follow(parts_) || changed;
  // While other threads of the idle process run, the bytes on the screen are looked at again and again, and drawn when they change.
  looks_again_ = !file && host().python_rests() && index() && moment().since == Since::nothing;
  parts_.host.watch_threads(looks_again_);
  // The reader of before may be gone: seen_bytes_changed() reads through the present one.
  static_cast<void>(parts_.tensors.seen->through(shown_memory(parts_).for_frames()));
  if (const auto python = parts_.host.take_found_python())
    parts_.pythons.read_libraries(*python, [this](std::string message) { parts_.host.note_libraries(std::move(message)); });
  const std::uint64_t before = parts_.output.revision();
  const bool more = parts_.output.digest();
  return changed || more || parts_.output.revision() != before || moment() != before_events;
}

void Application::draw(const Fonts& fonts) {
  parts_.tensors.seen->begin_frame(looks_again_);
  const SnapshotViews& views = parts_.tensors.views;
  const Selection& selection = views.selection();
  const Moment now = moment();
  const bool back = parts_.tensors.views.looks_back();
  const FrameContext context{.theme = theme_for(parts_.options.theme),
                             .fonts = fonts,
                             .scale = parts_.options.scale,
                             .layout = parts_.options.layout,
                             .index = parts_.tensors.views.index().get(),
                             .generation = parts_.tensors.views.generation(),
                             .host = parts_.host.session(),
                             .other_script = other_script(parts_),
                             .hover = selection.focus(),
                             .answers = parts_.host.session().questions(),
                             .pinned = selection.pinned(),
                             .selected = selection.selected(),
                             .compared = selection.compared(),
                             .slice = slice_of_selected(parts_),
                             .selection_revision = selection.revision(),
                             .reader = reader_of_shown(parts_),
                             .moment = now,
                             .history = history_view(parts_.past, parts_.tensors.views),
                             .file = shows_file(parts_) ? std::string_view(views.source().file->path) : std::string_view(),
                             .held = parts_.tensors.views.held(),
                             .statistics = back ? parts_.past.statistics.store() : parts_.tensors.statistics.store(),
                             .heatmap = shown_heatmap(parts_),
                             .compared_sides = parts_.tensors.compare.sides(),
                             .keys = parts_.keys,
                             .actions = parts_.panels.actions,
                             .tasks = parts_.tasks.list(),
                             .recent_files = parts_.settings.values().recent_files,
                             .pythons = parts_.pythons.list(),
                             .breakpoints = parts_.breakpoints.list,
                             .watches = parts_.settings.values().watches,
                             .stop_on_raise = parts_.settings.values().stop_on_raise,
                             .stop_on_uncaught = parts_.settings.values().stop_on_uncaught,
                             .reduced_motion = parts_.settings.values().reduced_motion,
                             .preparing = parts_.tensors.views.tensors().stale(),
                             .touches = &parts_.tensors.touches.counts(),
                             .values = parts_.tensors.values()};
  const PanelModels models{.script = parts_.document.model(),
                           .output = parts_.output,
                           .tensors = parts_.tensors.views.tensors(),
                           .inspection = parts_.tensors.views.inspection(),
                           .of_file = shows_file(parts_) ? &parts_.tensors.views.source().file->said : nullptr,
                           .notices = parts_.notices,
                           .held = parts_.host.leases().total(),
                           .nameless = parts_.host.leases().nameless()};
  for (int* next : {&parts_.panels.values.next_frame_in, &parts_.panels.hex.next_frame_in,
                    &parts_.panels.output.console.next_frame_in})
    *next = 0;  // visible views set it again
  draw_workspace(context, parts_.panels, models, commands_);
  font_search_.follow(fonts, parts_.jobs);
}

bool Application::carry_out() {
  Focus hovered;
  commands_.take(taken_commands_);
  bool acted = false;
  for (const Command& command : taken_commands_) {
    if (const auto* hover = std::get_if<command::Hover>(&command)) {
      hovered = hover->focus;
      continue;
    }
    app::carry_out(command, parts_);
    acted = true;
  }
  acted = parts_.walks.follow(parts_.panels, parts_.tasks) || acted;
  const std::uint64_t breakpoints = parts_.breakpoints.list.revision();
  const bool breakpoints_changed = std::exchange(parts_.breakpoints.told_revision, breakpoints) != breakpoints;
  if (parts_.panels.script.edited)
    parts_.document.note_edit();
  else if (breakpoints_changed)
    parts_.document.note_breakpoints();
  acted = acted || parts_.panels.script.edited;
  if (parts_.settings.is_kept()) read_settings(parts_.panels, parts_.options.layout, parts_.settings.values());
  parts_.settings.keep(parts_.jobs, parts_.notices);
  parts_.tensors.views.end_frame();
  const bool moved = hovered != parts_.tensors.views.selection().hovered();
  parts_.tensors.views.selection().hover(hovered);
  return acted || moved || wants_figure();  // drawn with the next frame
}

void Application::show_snapshot(core::SnapshotPtr snapshot) {
  show_arrived({.snapshot = std::move(snapshot), .process = parts_.host.session().timeline().process()});
}

void Application::show_arrived(ArrivedSnapshot arrived) {
  ScriptScan& scan = parts_.tensors.script_scan;
  core::SnapshotPtr snapshot = std::move(arrived.snapshot);
  // The final snapshot of a scan whose unfinished one was shown before a tensor file was opened: the file stays.
  const bool stays = shows_file(parts_) && scan.snapshot && scan.snapshot->sharing_not_yet() &&
                     scan.snapshot->info.revision == snapshot->info.revision;
  scan = {.snapshot = snapshot, .source = {}, .scanned = arrived.scanned, .settling = false, .outcome = {}};
  SnapshotSource& source = scan.source;
  source.process = arrived.process;
  source.stop = arrived.stop;
  // One that is not complete is no moment of its own: the final one is.
  if (!snapshot->sharing_not_yet()) source.moment = keep_moment(snapshot, source.process, parts_.past.history, parts_.jobs);
  if (!stays) parts_.tensors.views.show(std::move(snapshot), source, parts_.host.comparable_from());
}

void Application::run_script() { app::carry_out(command::RunScript{}, parts_); }

void Application::open_dropped(std::vector<std::string> paths) {
  DroppedFiles dropped = choose_dropped(std::move(paths));
  for (std::string& path : dropped.opened) commands_.push(command::OpenScript{std::move(path)});
  if (!dropped.left.empty()) add_notice(Tone::warn, not_opened_text(dropped.left));
}

void Application::save_picture(std::function<core::Result<void>()> write, const std::string& path) {
  app::save_picture(parts_.tasks, parts_.notices, std::move(write), path);
}

void Application::note_window(const WindowPlace& place) {
  app::note_window(place, parts_.options.layout, parts_.panels, parts_.settings.values());
}

std::string Application::title() const { return script().title() + (script().modified ? " ●" : "") + " – dlscope"; }

}  // namespace dlscope::app
