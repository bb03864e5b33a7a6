#include "app/window/application.h"

#include <unistd.h>

#include <algorithm>
#include <utility>

#include "app/models/text/time_stamp.h"
#include "app/window/overloaded.h"

namespace dlscope::app {

Application::Application(ApplicationOptions options, std::unique_ptr<HostLink> link)
    : options_(std::move(options)),
      settings_(options_.settings),
      kept_settings_(options_.settings),
      unsaved_(options_.state_folder),
      worker_(std::make_unique<Worker>(options_.wake, [this](const std::string& why) { job_failed(why); })),
      probes_(std::make_unique<Worker>(options_.wake, [this](const std::string& why) { job_failed(why); })),
      link_(std::move(link)) {
  panels_.arrange = options_.layout;
  script_.open("", "");
  take_up_settings();
  offer_unsaved_text();
  if (!link_) questions_.close();
  load_history();
  if (!link_) return;
  host_.state = HostState::finding;
  link_->start();
}

Application::~Application() {
  link_.reset();
  probes_.reset();
  worker_.reset();  // nothing else writes the kept text from here on
  // Closing the window loses nothing: changed text is offered again, saved text is not kept twice.
  if (!script_.modified)
    unsaved_.forget();
  else
    static_cast<void>(unsaved_.keep(script_.path, editor_text(panels_.script)));
  if (settings_ != kept_settings_) static_cast<void>(save_settings(options_.settings_file, settings_));
}

void Application::job_failed(const std::string& why) {
  notices_.add(Tone::bad, "Something that was asked for could not be done (" + why + "). What is shown may not be the newest.");
}

bool Application::update() {
  take_arrangement();
  bool changed = worker_->apply_finished() + probes_->apply_finished() > 0;
  if (link_) {
    for (const LinkEvent& event : link_->drain()) {
      take(event);
      changed = true;
    }
  }
  // What is shown as live is drawn anew while other threads of the idle process work.
  if (thread_watch_) thread_watch_->watch(host_.state == HostState::idle && index() && moment().since == Since::nothing);
  put_questions();
  if (take_file_changes() || settle_script_edit() || watch_input()) changed = true;
  const std::uint64_t before = output_.revision();
  const bool more = output_.digest();
  return changed || more || output_.revision() != before;
}

void Application::draw(const Fonts& fonts) {
  const Moment now = moment();
  const FrameContext context{.theme = theme_for(options_.theme),
                             .fonts = fonts,
                             .scale = options_.scale,
                             .layout = options_.layout,
                             .index = tensors_.index().get(),
                             .generation = generation_,
                             .host = host_,
                             .outcome = outcome_,
                             .hover = focus(),
                             .answers = questions_,
                             .pinned = pinned_,
                             .selected = selected_,
                             .compared = compared_,
                             .reader = now.since == Since::ended ? nullptr : reader_.get(),
                             .moment = now,
                             .held = held_,
                             .keys = keys_,
                             .actions = panels_.actions,
                             .recent_files = settings_.recent_files,
                             .pythons = pythons_,
                             .reduced_motion = settings_.reduced_motion,
                             .preparing = tensors_.stale()};
  const PanelModels models{.script = script_,
                           .output = output_,
                           .tensors = tensors_,
                           .inspection = inspection_ ? &*inspection_ : nullptr,
                           .notices = notices_};
  panels_.values.next_frame_in = 0;  // the view says so anew, when it is visible
  draw_workspace(context, panels_, models, commands_);
}

bool Application::carry_out() {
  next_hover_ = {};
  commands_.take(taken_commands_);
  bool acted = false;
  for (const Command& command : taken_commands_) {
    carry_out_one(command);
    acted = acted || !std::holds_alternative<command::Hover>(command);
  }
  if (panels_.script.edited) {
    note_script_edit();
    acted = true;
  }
  keep_settings();
  give_back_retired();
  const bool moved = hover_ != next_hover_;
  hover_ = next_hover_;
  return acted || moved;
}

void Application::carry_out_one(const Command& command) {
  std::visit(Overloaded{
                 [&](const command::RunScript&) { run_script(); },
                 [&](const command::RunText& run) { run_text(run); },
                 [&](const command::StopScript&) { stop_script(); },
                 [&](const command::KillHost&) {
                   kill_host();
                 },
                 [&](const command::RestartHost&) { restart_host(); },
                 [&](const command::Rescan&) {
                   if (link_ && link_->scan()) host_.state = HostState::scanning;
                 },
                 [&](const command::OpenScript& open) { open_script(open.path); },
                 [&](const command::OpenTour&) {
                   if (options_.tour_path.empty())
                     notices_.add(Tone::warn, "The tour is not installed beside this program (assets/samples/tour.py).");
                   else
                     open_script(options_.tour_path);
                 },
                 [&](const command::NewScript&) {
                   put_aside_changed_text();
                   load_text("", "");
                   panels_.menu.show.script = panels_.script.focus_editor = true;
                 },
                 [&](const command::SaveScript& save) { save_script(save); },
                 [&](const command::RestoreText&) { restore_unsaved_text(); },
                 [&](const command::SendInput& input) {
                   if (link_ && !link_->write_input(input.text))
                     notices_.add(Tone::warn,
                                  "Python did not take all of the line: it is not reading, and its terminal is full.");
                 },
                 [&](const command::ClearOutput&) { output_.clear(); },
                 [&](const command::SelectTensor& select) {
                   compare_with(core::kNone32);
                   set_selection(select.tensor);
                 },
                 [&](const command::CompareTensor& other) { compare_with(other.tensor); },
                 [&](const command::Hover& hover) { next_hover_ = hover.focus; },
                 [&](const command::Pin& at) { pin(at.focus); },
                 [&](const command::ReadValues& read) { read_values(read.task); },
                 [&](const command::LetGo&) {
                   // One thing at a time; the selection stays, or three views would be empty.
                   if (pinned_.on_tensor())
                     pinned_ = {};
                   else
                     compare_with(core::kNone32);
                 },
                 [&](const command::AskPython& ask) { questions_.want(ask.question); },
                 [&](const command::AskRows& rows) { ask_rows(rows.query); },
                 [&](const command::FindPlaces& find) { find_places_for(find.query); },
                 [&](const command::SetScale& scale) {
                   options_.scale = std::clamp(scale.scale, kMinScale, kMaxScale);
                   settings_.scale = options_.scale;
                 },
                 [&](const command::SetTheme& theme) {
                   options_.theme = theme.theme;
                   settings_.theme = theme.theme;
                 },
                 [&](const command::SetLayout& layout) { set_layout(layout.layout); },
                 [&](const command::SetReducedMotion& motion) { settings_.reduced_motion = motion.reduced; },
                 [&](const command::Rebind& change) { rebind(change); },
                 [&](const command::ChoosePython& python) { choose_python(python.path); },
                 [&](const command::LookForPythons& look) { look_for_pythons(look.asked); },
                 [&](const command::ReadFolder& read) { read_folder(read.folder); },
                 [&](const command::SavePicture&) { picture_wish_ = time_stamped("dlscope-", ".png"); },
                 [&](const command::SaveReport&) { save_report(); },
                 [&](const command::DismissNotice& notice) { notices_.dismiss(notice.id); },
                 [&](const command::Ask& ask) { panels_.actions.ask_next(ask.action); },
                 [&](const command::KeepHistory& typed) { keep_history(typed.entry); },
                 [&](const command::GoToSource& place) { go_to_source(place); },
                 [&](const command::ReloadScript&) { reload_script(); },
                 [&](const command::KeepMine&) { keep_mine(); },
                 [&](const command::FindInScript& find) { find_in_script(find); },
                 [&](const command::ReplaceInScript& replace) { replace_in_script(replace); },
                 [&](const command::Quit&) { quit_ = true; },
             },
             command);
}

std::string Application::title() const { return script_.title() + (script_.modified ? " ●" : "") + " – dlscope"; }

}  // namespace dlscope::app
