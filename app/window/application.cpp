#include "app/window/application.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <utility>

#include "app/models/focus_words.h"
#include "app/models/format.h"

namespace dlscope::app {
namespace {

// Jobs of the worker: a newer one of the same kind replaces an older one.
constexpr int kIndexJob = 1;
constexpr int kRowsJob = 2;
constexpr int kKeepJob = 3;

template <class... Handlers>
struct Overloaded : Handlers... {
  using Handlers::operator()...;
};

std::string python_words(const PythonChoice& python) {
  const std::filesystem::path prefix(python.prefix);
  const bool is_venv = python.prefix != python.base_prefix && !python.prefix.empty();
  return "Python " + python.version + (is_venv ? " · " + prefix.filename().string() : std::string());
}

std::string signal_words(int signal) {
  const char* name = ::sigabbrev_np(signal);
  return name != nullptr ? fmt::format("SIG{}", name) : fmt::format("signal {}", signal);
}

}  // namespace

Application::Application(ApplicationOptions options, std::unique_ptr<HostLink> link)
    : options_(std::move(options)),
      unsaved_(options_.state_folder, ::getpid()),
      worker_(std::make_unique<Worker>(options_.wake)),
      link_(std::move(link)) {
  panels_.arrange = options_.layout;
  script_.open("", "");
  offer_unsaved_text();
  if (!link_) return;
  host_.state = HostState::finding;
  link_->start();
}

Application::~Application() {
  link_.reset();
  worker_.reset();  // nothing else writes the kept text from here on
  // Closing the window loses nothing: changed text is offered again, saved text is not kept twice.
  if (!script_.modified)
    unsaved_.forget();
  else
    static_cast<void>(unsaved_.keep(script_.path, editor_text(panels_.script)));
}

bool Application::update() {
  bool changed = worker_->apply_finished() > 0;
  if (link_) {
    for (const LinkEvent& event : link_->drain()) {
      take(event);
      changed = true;
    }
  }
  const std::uint64_t before = output_.revision();
  const bool more = output_.digest();
  return changed || more || output_.revision() != before;
}

void Application::draw(const Fonts& fonts) {
  const FrameContext context{.theme = theme_for(options_.theme),
                             .fonts = fonts,
                             .scale = options_.scale,
                             .layout = options_.layout,
                             .index = tensors_.index().get(),
                             .host = host_,
                             .outcome = outcome_,
                             .hover = hover_.on_tensor() ? hover_ : pinned_,
                             .pinned = pinned_,
                             .selected = selected_,
                             .reader = reader_.get(),
                             .preparing = tensors_.stale()};
  const PanelModels models{.script = script_,
                           .output = output_,
                           .tensors = tensors_,
                           .inspection = inspection_ ? &*inspection_ : nullptr,
                           .notices = notices_};
  draw_workspace(context, panels_, models, commands_);
}

bool Application::carry_out() {
  next_hover_ = {};
  const std::vector<Command> commands = commands_.take();
  bool acted = false;
  for (const Command& command : commands) {
    carry_out_one(command);
    acted = acted || !std::holds_alternative<command::Hover>(command);
  }
  if (panels_.script.edited) {
    script_.note_edit(editor_text(panels_.script));
    keep_unsaved_text();
    acted = true;
  }
  const bool moved = hover_ != next_hover_;
  hover_ = next_hover_;
  return acted || moved;
}

void Application::carry_out_one(const Command& command) {
  std::visit(Overloaded{
                 [&](const command::RunScript&) { run_script(); },
                 [&](const command::RunText& run) {
                   if (run.text.empty()) return;
                   output_.note(">>> " + run.text);
                   start_run(run.text, false);
                 },
                 [&](const command::StopScript&) { stop_script(); },
                 [&](const command::KillHost&) {
                   if (link_) link_->kill();
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
                 [&](const command::SaveScript& save) { save_script(save.path); },
                 [&](const command::RestoreText&) { restore_unsaved_text(); },
                 [&](const command::SendInput& input) {
                   if (link_) link_->write_input(input.text);
                 },
                 [&](const command::ClearOutput&) { output_.clear(); },
                 [&](const command::SelectTensor& select) { set_selection(select.tensor); },
                 [&](const command::Hover& hover) { next_hover_ = hover.focus; },
                 [&](const command::Pin& at) { pin(at.focus); },
                 [&](const command::LetGo&) {
                   if (pinned_.on_tensor())
                     pinned_ = {};
                   else
                     set_selection(core::kNone32);
                 },
                 [&](const command::AskRows& rows) { ask_rows(rows.query); },
                 [&](const command::SetScale& scale) { options_.scale = std::clamp(scale.scale, kMinScale, kMaxScale); },
                 [&](const command::SetTheme& theme) { options_.theme = theme.theme; },
                 [&](const command::SetLayout& layout) {
                   options_.layout = layout.layout;
                   panels_.arrange = layout.layout;
                 },
                 [&](const command::DismissNotice& notice) { notices_.dismiss(notice.id); },
                 [&](const command::Quit&) { quit_ = true; },
             },
             command);
}

// --- the host -----------------------------------------------------------------------------------------------------------

void Application::take(const LinkEvent& event) {
  std::visit(Overloaded{
                 [&](const PythonFound& found) {
                   host_.python = python_words(found.python);
                   host_.executable = fmt::format("{} (found by {})", found.python.executable, found.python.chosen_because);
                   host_.state = HostState::starting;
                 },
                 [&](const HostNotStarted& failed) { host_gone(HostState::failed, failed.why); },
                 [&](const HostEvent& host) { take(host); },
             },
             event);
}

void Application::take(const HostEvent& event) {
  std::visit(Overloaded{
                 [&](const HostReady& ready) {
                   if (ready.hello.pid > 0) {
                     if (auto reader = core::process_reader(ready.hello.pid))
                       reader_ = std::move(*reader);
                     else
                       notices_.add(Tone::warn, "The script's memory cannot be read: " + reader.error().message);
                   }
                   host_.state = HostState::idle;
                   host_.detail.clear();
                   if (!waiting_run_) return;
                   if (link_->run(std::move(*waiting_run_))) host_.state = HostState::running;
                   waiting_run_.reset();
                 },
                 [&](const HostOutput& out) { output_.append(out.text); },
                 [&](const HostRunStarted&) {
                   host_.state = HostState::running;
                   ++host_.runs;
                   host_.stop_attempts = 0;
                 },
                 [&](const HostRunFinished& run) {
                   outcome_ = run.outcome;
                   host_.state = HostState::scanning;
                   // A console line that simply worked has said what it had to say.
                   if (fresh_run_ || outcome_.outcome != core::Outcome::finished)
                     output_.note(fmt::format("run {}: {}", run.run, outcome_sentence(outcome_)));
                 },
                 [&](const HostSnapshot& scan) {
                   if (host_.state == HostState::scanning) host_.state = HostState::idle;
                   if (scan.snapshot) show_snapshot(scan.snapshot);
                 },
                 [&](const HostNotice& notice) {
                   notices_.add(Tone::warn, notice.text);
                   if (host_.state == HostState::scanning) host_.state = HostState::idle;  // a scan that failed says so this way
                 },
                 [&](const HostCrashed& crash) {
                   std::string why = fmt::format("The script's process crashed: {}", signal_words(crash.signal));
                   if (!crash.library.empty()) why += " in " + crash.library;
                   why += ". The text and the last tensors stay; Restart gives a new Python.";
                   outcome_.outcome = core::Outcome::crashed;
                   outcome_.signal = crash.signal;
                   if (!crash.python_stack.empty()) output_.append("\n" + crash.python_stack + "\n");
                   host_gone(HostState::crashed, std::move(why));
                 },
                 [&](const HostEnded& end) {
                   reader_.reset();  // its number may be another process's soon
                   if (host_.state == HostState::crashed) return;
                   if (!end.why.empty()) return host_gone(HostState::failed, end.why);
                   std::string how = end.signal ? "was ended by " + signal_words(*end.signal)
                                                : fmt::format("ended with exit code {}", end.exit_code.value_or(0));
                   host_gone(HostState::ended, "The Python process " + how + ". Restart gives a new one.");
                 },
             },
             event);
}

void Application::host_gone(HostState state, std::string why) {
  const bool was_running = host_.busy();
  host_.state = state;
  host_.detail = std::move(why);
  waiting_run_.reset();
  if (state != HostState::crashed) reader_.reset();  // a crashed process may still stand and be read
  output_.note(host_.detail);
  if (state != HostState::ended || was_running) notices_.add(Tone::bad, host_.detail);
}

void Application::run_script() {
  script_.text = panels_.script.editor && panels_.script.loaded_revision == script_.text_revision ? editor_text(panels_.script)
                                                                                                  : script_.text;
  start_run(script_.text, true);
}

void Application::start_run(std::string text, bool fresh) {
  if (!link_ || !host_.can_run()) return;
  if (!host_.alive() && host_.state != HostState::finding) restart_host();
  core::wire::Run run;
  run.run = next_run_++;
  run.path = script_.path;
  run.source = std::move(text);
  run.arguments = options_.arguments;
  run.fresh_namespace = fresh;
  run.echo = !fresh;
  fresh_run_ = fresh;
  notices_.clear();
  outcome_ = {};
  if (host_.state != HostState::idle) {
    waiting_run_ = std::move(run);
    return;
  }
  if (link_->run(std::move(run)))
    host_.state = HostState::running;
  else
    notices_.add(Tone::bad, "The Python process took no run: it is busy or gone. Restart gives a new one.");
}

void Application::restart_host() {
  if (!link_) return;
  host_.state = HostState::starting;
  host_.detail.clear();
  host_.stop_attempts = 0;
  reader_.reset();
  output_.note("Python restarts");
  link_->start();
}

void Application::stop_script() {
  if (!link_ || !host_.can_stop()) return;
  ++host_.stop_attempts;
  host_.state = HostState::stopping;
  link_->stop();
}

// --- what is shown ----------------------------------------------------------------------------------------------------

void Application::show_snapshot(core::SnapshotPtr snapshot) {
  worker_->post(
      [this, snapshot = std::move(snapshot), colours = colours_,
       query = tensors_.query()](const std::stop_token& stop) -> Worker::Apply {
        IndexPtr index = build_index(snapshot, *colours, stop);
        if (!index) return {};
        OrderPtr order = order_rows(*index, query, stop);
        if (!order) return {};
        return [this, index, order] { accept_index(index, order); };
      },
      kIndexJob);
}

void Application::accept_index(const IndexPtr& index, OrderPtr order) {
  tensors_.show(index, std::move(order));
  hover_ = {};
  const Focus pinned = std::exchange(pinned_, {});
  panels_.memory.reveal = panels_.tensors.scroll_to = core::kNone32;
  const auto again = selected_name_.empty() ? std::nullopt : index->find(selected_name_);
  selected_ = again.value_or(core::kNone32);
  inspection_.reset();
  if (again) inspection_ = inspect(*index, *again);
  if (again && pinned.element) pinned_ = focus_on(*index, *again, *pinned.element);
  // The first tensors ever shown: one of them is looked at, so that the other views are not empty. Later an empty selection is a choice.
  if (!again && selected_name_.empty() && !shown_any_) set_selection(index->telling);
  shown_any_ = shown_any_ || index->size() > 0;
  if (tensors_.stale()) ask_rows(tensors_.query());
}

void Application::ask_rows(TableQuery query) {
  tensors_.set_query(query);
  if (!tensors_.index()) return;
  worker_->post(
      [this, index = tensors_.index(), query = std::move(query)](const std::stop_token& stop) -> Worker::Apply {
        OrderPtr order = order_rows(*index, query, stop);
        if (!order) return {};
        return [this, index, order] { tensors_.accept(index, order); };
      },
      kRowsJob);
}

void Application::set_selection(std::uint32_t tensor) {
  const IndexPtr& index = tensors_.index();
  const bool known = index && tensor < index->size();
  selected_ = known ? tensor : core::kNone32;
  if (!known || tensor != pinned_.tensor) pinned_ = {};
  selected_name_ = known ? std::string(index->snapshot->name(index->tensor(tensor))) : std::string();
  inspection_.reset();
  if (!known) return;
  inspection_ = inspect(*index, tensor);
  panels_.memory.reveal = panels_.tensors.scroll_to = tensor;
}

void Application::pin(const Focus& focus) {
  if (!tensors_.index() || focus.tensor >= tensors_.index()->size()) return;
  if (focus.tensor != selected_) set_selection(focus.tensor);
  pinned_ = focus;
}

void Application::select(const std::string& name_path) {
  selected_name_ = name_path;
  if (!tensors_.index()) return;
  if (const auto found = tensors_.index()->find(name_path)) set_selection(*found);
}

// --- the script -------------------------------------------------------------------------------------------------------

void Application::load_text(std::string path, std::string text) {
  script_.open(std::move(path), std::move(text));
  outcome_ = {};
}

core::Result<void> Application::load_script(const std::string& path) {
  auto text = read_text_file(path);
  if (!text) return std::unexpected(text.error());
  load_text(path, std::move(*text));
  return {};
}

void Application::open_script(const std::string& path) {
  if (path.empty()) {
    show_file_browser(panels_.files, FileBrowserState::Purpose::open, script_.path);
    return;
  }
  auto text = read_text_file(path);
  if (!text) {
    notices_.add(Tone::bad, text.error().message);
    return;
  }
  put_aside_changed_text();
  load_text(path, std::move(*text));
  panels_.menu.show.script = true;
}

void Application::save_script(const std::string& path) {
  const std::string target = path.empty() ? script_.path : path;
  if (target.empty()) {
    show_file_browser(panels_.files, FileBrowserState::Purpose::save, "");
    return;
  }
  const std::string text = editor_text(panels_.script);
  const auto written = write_text_file(target, text);
  if (!written) {
    notices_.add(Tone::bad, written.error().message);
    return;
  }
  script_.path = target;
  script_.saved_text = text;
  script_.modified = false;
  keep_unsaved_text();
}

// --- unsaved text -----------------------------------------------------------------------------------------------------

void Application::keep_unsaved_text() {
  if (options_.state_folder.empty()) return;
  worker_->post(
      [this, store = unsaved_, path = script_.path, text = editor_text(panels_.script),
       modified = script_.modified](const std::stop_token&) -> Worker::Apply {
        if (!modified) {
          store.forget();
          return {};
        }
        const auto kept = store.keep(path, text);
        if (kept) return {};
        return [this, why = kept.error().message] { notices_.add(Tone::warn, "The text cannot be kept for a crash: " + why); };
      },
      kKeepJob);
}

// Opening something else loses nothing: what was changed can be taken back.
void Application::put_aside_changed_text() {
  if (!script_.modified) return;
  left_behind_ = UnsavedText{.file = {}, .script_path = script_.path, .text = editor_text(panels_.script)};
  notices_.add(Tone::accent, "The changed text of " + script_.title() + " was put aside.", "Take it back",
               command::RestoreText{});
}

void Application::offer_unsaved_text() {
  if (options_.state_folder.empty()) return;
  worker_->post([this, store = unsaved_](const std::stop_token&) -> Worker::Apply {
    auto found = store.left_behind();
    if (found.empty()) return {};
    return [this, text = std::move(found.front())] {
      const std::string name =
          text.script_path.empty() ? "a script without a file" : std::filesystem::path(text.script_path).filename().string();
      left_behind_ = text;
      notices_.add(Tone::accent, "An earlier session left unsaved text of " + name + ".", "Take it up again",
                   command::RestoreText{});
    };
  });
}

void Application::restore_unsaved_text() {
  if (!left_behind_) return;
  const UnsavedText taken = *std::exchange(left_behind_, std::nullopt);
  put_aside_changed_text();
  const auto on_disk = taken.script_path.empty() ? core::Result<std::string>("") : read_text_file(taken.script_path);
  load_text(taken.script_path, taken.text);
  script_.saved_text = on_disk.value_or("");
  script_.note_edit(taken.text);
  const bool kept = !options_.state_folder.empty() && unsaved_.keep(script_.path, taken.text).has_value();
  if (kept && !taken.file.empty()) UnsavedTextStore::remove(taken);
}

std::string Application::title() const { return script_.title() + (script_.modified ? " ●" : "") + " – dlscope"; }

}  // namespace dlscope::app
