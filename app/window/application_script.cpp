// The application and the script: opening, saving, and text that must not be lost.
#include <fmt/core.h>

#include <chrono>
#include <filesystem>
#include <utility>

#include "app/files/output_file.h"
#include "app/files/read_file.h"
#include "app/window/application.h"
#include "app/window/application_jobs.h"

namespace dlscope::app {

void Application::load_text(std::string path, std::string text) {
  script_.open(std::move(path), std::move(text));
  outcome_ = {};
  watch_script();
}

core::Result<void> Application::load_script(const std::string& path) {
  auto text = read_script_file(path);
  if (!text) return std::unexpected(text.error());
  script_.open(path, std::move(*text));
  outcome_ = {};
  watch_script();
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
        auto text = std::make_shared<core::Result<FileText>>(read_script_file(path));
        return [this, path, text] { take_opened(path, *text); };
      },
      job::kOpen);
}

void Application::take_opened(const std::string& path, const core::Result<FileText>& text) {
  const std::optional<std::size_t> line = std::exchange(line_to_reveal_, std::nullopt);
  if (!text) {
    notices_.add(Tone::bad, text.error().message);
    return;
  }
  const std::string before = script_.path;
  put_aside_changed_text();
  script_.open(path, *text);
  outcome_ = {};
  watch_script();
  note_recent_file(path);
  panels_.menu.show.script = true;
  if (!line) return;
  panels_.script.reveal_line = *line;
  if (!before.empty())
    notices_.add(Tone::plain, "Opened " + script_.title() + ".", "Back to " + std::filesystem::path(before).filename().string(),
                 command::OpenScript{before});
}

void Application::save_script(const command::SaveScript& save) {
  const std::string target = save.path.empty() ? script_.path : save.path;
  if (target.empty()) {
    show_file_browser(panels_.files, FileBrowserState::Purpose::save, "");
    return;
  }
  if (!save.replace && would_lose(target)) return;
  const std::string text = editor_text(panels_.script);
  const std::string bytes = bytes_from_text(text, script_.format, script_.saved_text);
  const auto written = write_file(target, bytes);
  if (!written) {
    notices_.add(Tone::bad, written.error().message);
    return;
  }
  script_.saved_as(target, text, bytes);
  note_recent_file(target);
  watch_script();
  keep_unsaved_text(text);
}

// What another program wrote is not overwritten unasked.
bool Application::would_lose(const std::string& target) {
  auto bytes = read_text_file(target);
  if (!bytes) return false;
  if (target != script_.path) {
    notices_.add(Tone::warn, target + " exists already; nothing was saved.", "Replace it", command::SaveScript{target, true});
    return true;
  }
  if (script_.on_disk == OnDisk::not_watched || content_hash(*bytes) == script_.disk_hash) return false;
  auto text = text_from_bytes(*bytes, target);
  script_.disk = text ? std::move(*text) : FileText{*bytes, {}, content_hash(*bytes)};
  script_.on_disk = OnDisk::changed;
  script_.save_held = true;
  panels_.menu.show.script = true;
  return true;
}

// --- the file on disk --------------------------------------------------------------------------------------------------

void Application::watch_script() {
  if (!link_) return;  // a picture: nothing happens any more
  if (!watch_) watch_ = std::make_unique<FileWatch>(options_.wake);
  watch_->watch(script_.on_disk == OnDisk::not_watched ? std::string() : script_.path, script_.disk_hash);
}

bool Application::take_file_changes() {
  if (!watch_) return false;
  const std::vector<FileChange> changes = watch_->take();
  for (const FileChange& change : changes) take(change);
  return !changes.empty();
}

void Application::take(const FileChange& change) {
  if (change.path != script_.path || script_.on_disk == OnDisk::not_watched) return;
  if (change.kind == FileChange::Kind::gone) {
    script_.on_disk = OnDisk::gone;
    return;
  }
  if (change.kind == FileChange::Kind::unreadable) {
    notices_.add(Tone::warn, script_.title() + " was changed on disk and cannot be read now. " + change.why);
    return;
  }
  if (content_hash(change.bytes) == script_.disk_hash) {
    script_.on_disk = OnDisk::same;
    return;
  }
  auto text = text_from_bytes(change.bytes, script_.path);
  if (!text) {
    notices_.add(Tone::warn, "The new content on disk is not shown. " + text.error().message);
    return;
  }
  script_.disk = std::move(*text);
  script_.on_disk = OnDisk::changed;
  // Text that is the same on both sides is nobody's loss.
  if (!script_.modified || script_.disk.text == editor_text(panels_.script)) reload_script();
}

void Application::reload_script() {
  if (script_.on_disk != OnDisk::changed) return;
  const std::uint64_t hash = script_.disk.hash;
  script_.reload();
  script_.said = fmt::format("Reloaded: {} was changed on disk.", script_.title());
  outcome_ = {};
  if (watch_) watch_->watch(script_.path, hash);
  worker_->post(
      [store = unsaved_](const std::stop_token&) -> Worker::Apply {
        store.forget();
        return {};
      },
      job::kKeep);
}

void Application::keep_mine() {
  if (script_.on_disk != OnDisk::changed) return;
  script_.disk_hash = script_.disk.hash;
  script_.on_disk = OnDisk::same;
  script_.save_held = false;
  script_.modified = true;  // even if it is what was saved last: the disk has something else
  script_.saved_text = std::exchange(script_.disk, {}).text;
}

// --- the editor --------------------------------------------------------------------------------------------------------

namespace {

// Larger texts are compared and kept when the typing pauses.
constexpr std::size_t kComparedAtOnce = 512u << 10;
constexpr std::chrono::milliseconds kTypingPause{300};

}  // namespace

void Application::note_script_edit() {
  script_.said.clear();
  script_.modified = true;
  edit_noted_at_ = std::chrono::steady_clock::now();
  edit_pending_ = true;
  if (script_.saved_text.size() <= kComparedAtOnce) settle_script_edit();
}

bool Application::settle_script_edit() {
  if (!edit_pending_) return false;
  const bool waits =
      script_.saved_text.size() > kComparedAtOnce && std::chrono::steady_clock::now() - edit_noted_at_ < kTypingPause;
  if (waits) return false;
  edit_pending_ = false;
  const auto text = current_text(panels_.script);
  script_.note_edit(*text);
  keep_unsaved_text(*text);
  return true;
}

void Application::find_in_script(const command::FindInScript& find) {
  worker_->post(
      [this, find](const std::stop_token& stop) -> Worker::Apply {
        auto found = std::make_shared<FindResult>(find_all(*find.text, find.query, stop));
        return [this, find, found] { take_found(panels_.script, find.revision, find.query, std::move(*found)); };
      },
      job::kFindInScript);
}

void Application::replace_in_script(const command::ReplaceInScript& replace) {
  worker_->post(
      [this, replace](const std::stop_token& stop) -> Worker::Apply {
        const auto plan = std::make_shared<ReplacePlan>(replace_all(*replace.text, replace.query, replace.replacement, stop));
        return [this, replace, plan] { take_replacements(panels_.script, replace.revision, *plan); };
      },
      job::kReplaceInScript);
}

// --- the console -------------------------------------------------------------------------------------------------------

void Application::load_history() {
  if (options_.state_folder.empty()) return;
  worker_->post([this, folder = options_.state_folder](const std::stop_token&) -> Worker::Apply {
    auto entries = std::make_shared<std::vector<std::string>>(app::load_history(folder));
    return [this, entries] { panels_.output.console.history.put_before(std::move(*entries)); };
  });
}

void Application::keep_history(const std::string& entry) {
  if (options_.state_folder.empty()) return;
  worker_->post([this, folder = options_.state_folder, entry](const std::stop_token&) -> Worker::Apply {
    const auto kept = append_history(folder, entry);
    if (kept) return {};
    return [this, why = kept.error().message] { notices_.add(Tone::warn, "The console's history cannot be kept. " + why); };
  });
}

// A click on a traceback's line. The script itself is scrolled to; any other file is opened, with a way back.
void Application::go_to_source(const command::GoToSource& place) {
  std::error_code ignored;
  const bool ours = script_.path.empty()
                        ? place.path.starts_with('<')
                        : place.path == script_.path || std::filesystem::equivalent(place.path, script_.path, ignored);
  if (!ours) {
    if (!std::filesystem::is_regular_file(place.path, ignored)) {
      notices_.add(Tone::plain, place.path + " is no file that can be opened here.");
      return;
    }
    line_to_reveal_ = place.line - 1;
    open_script(place.path);
    return;
  }
  panels_.menu.show.script = true;
  panels_.script.reveal_line = place.line - 1;
}

// --- unsaved text -----------------------------------------------------------------------------------------------------

void Application::keep_unsaved_text(const std::string& now) {
  if (options_.state_folder.empty()) return;
  worker_->post(
      [this, store = unsaved_, path = script_.path, text = now,
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
  notices_.add(Tone::accent, "The changed text of " + script_.title() + " was put aside.", "Restore",
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
      notices_.add(Tone::accent, "An earlier session left unsaved text of " + name + ".", "Restore",
                   command::RestoreText{});
    };
  });
}

void Application::restore_unsaved_text() {
  if (!left_behind_) return;
  const UnsavedText taken = *std::exchange(left_behind_, std::nullopt);
  put_aside_changed_text();
  const auto on_disk = taken.script_path.empty() ? core::Result<FileText>(FileText{}) : read_script_file(taken.script_path);
  load_text(taken.script_path, taken.text);
  if (on_disk) {
    script_.saved_text = on_disk->text;
    script_.format = on_disk->format;
    script_.disk_hash = on_disk->hash;
    if (!taken.script_path.empty()) script_.on_disk = OnDisk::same;
    watch_script();
  }
  script_.note_edit(taken.text);
  const bool kept = !options_.state_folder.empty() && unsaved_.keep(script_.path, taken.text).has_value();
  if (kept && !taken.file.empty()) UnsavedTextStore::remove(taken);
}

}  // namespace dlscope::app
