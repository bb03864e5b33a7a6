// The application and the script: opening, saving, and text that must not be lost.
#include <filesystem>
#include <utility>

#include "app/window/application.h"
#include "app/window/application_jobs.h"

namespace dlscope::app {

void Application::load_text(std::string path, std::string text) {
  script_.open(std::move(path), std::move(text));
  outcome_ = {};
}

core::Result<void> Application::load_script(const std::string& path) {
  auto text = read_text_file(path);
  if (!text) return std::unexpected(text.error());
  load_text(path, std::move(*text));
  note_recent_file(path);
  return {};
}

void Application::open_script(const std::string& path) {
  if (path.empty()) {
    show_file_browser(panels_.files, FileBrowserState::Purpose::open, script_.path);
    return;
  }
  worker_->post(
      [this, path](const std::stop_token&) -> Worker::Apply {
        std::error_code ignored;
        if (std::filesystem::is_directory(path, ignored))
          return [this, path] { show_file_browser(panels_.files, FileBrowserState::Purpose::open, path + "/"); };
        auto text = read_text_file(path);
        return [this, path, text = std::move(text)]() mutable {
          if (!text) {
            notices_.add(Tone::bad, text.error().message);
            return;
          }
          put_aside_changed_text();
          load_text(path, std::move(*text));
          note_recent_file(path);
          panels_.menu.show.script = true;
        };
      },
      job::kOpen);
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
  note_recent_file(target);
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
      job::kKeep);
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

}  // namespace dlscope::app
