#include "app/session/script_document.h"

#include <fmt/format.h>

#include <filesystem>
#include <string_view>
#include <utility>
#include <variant>

#include "app/files/output_file.h"
#include "app/files/read_file.h"
#include "app/models/text/text_file.h"
#include "core/wire/script_file.h"

namespace dlscope::app {
namespace {

// Larger texts are compared and stored only when typing pauses.
constexpr std::size_t kComparedAtOnce = 512u << 10;
constexpr std::chrono::milliseconds kTypingPause{300};

}  // namespace

// The outcome of a save. thread: made by a job, taken by the UI thread.
struct ScriptDocument::SaveResult {
  struct Written {
    std::string target, bytes;
  };
  struct Exists {
    std::string target;
  };  // the target exists, and is not the script's own file
  struct ChangedOnDisk {
    std::string target;
    FileText disk;
  };
  std::variant<core::Error, Written, Exists, ChangedOnDisk> what;
};

ScriptDocument::ScriptDocument(DocumentSurroundings around, DocumentOptions options)
    : around_(std::move(around)),
      options_(std::move(options)),
      unsaved_(options_.state_folder),
      put_aside_(around_.jobs, around_.notices) {
  script_.open("", "");
  if (!options_.state_folder.empty()) put_aside_.offer_left_behind(unsaved_);
}

std::shared_ptr<const std::string> ScriptDocument::text() const {
  auto edited = around_.editor_text(script_.text_revision);
  return edited ? edited : std::make_shared<const std::string>(script_.text);
}

bool ScriptDocument::update() {
  bool changed = settle_edit();
  if (leave_ && std::chrono::steady_clock::now() >= leaves_at_) std::exchange(leave_, nullptr)();
  if (!watch_) return changed;
  for (const FileChange& change : watch_->take()) {
    take(change);
    changed = true;
  }
  return changed;
}

// --- opening -----------------------------------------------------------------------------------------------------------

void ScriptDocument::load_text(std::string path, std::string text) {
  script_.open(std::move(path), std::move(text));
  around_.replaced();
  watch();
}

core::Result<void> ScriptDocument::load_file(const std::string& path) {
  auto text = read_script_file(path);
  if (!text) return std::unexpected(text.error());
  script_.open(path, std::move(*text));
  around_.replaced();
  watch();
  around_.used(path);
  return {};
}

void ScriptDocument::start_new() {
  put_aside_changed_text();
  load_text("", "");
  around_.show({});
}

void ScriptDocument::open(const std::string& path) {
  if (path.empty()) return around_.choose_file(script_.path);
  around_.jobs.post(Lane::files,
                    [this, path](const std::stop_token&) -> JobPool::Apply {
                      std::error_code ignored;
                      if (std::filesystem::is_directory(path, ignored)) return [this, path] { around_.choose_file(path + "/"); };
                      return [this, path, text = read_script_file(path)] { take_opened(path, text, {}); };
                    },
                    {JobKind::open_script});
}

void ScriptDocument::take_opened(const std::string& path, const core::Result<FileText>& text, std::optional<std::size_t> line) {
  if (!text) return around_.notices.add(Tone::bad, text.error().message);
  const std::string before = script_.path;
  put_aside_changed_text();
  script_.open(path, *text);
  around_.replaced();
  watch();
  around_.used(path);
  around_.show(line);
  if (line && !before.empty())
    around_.notices.add(Tone::plain, "Opened " + script_.title() + ".",
                        "Back to " + std::filesystem::path(before).filename().string(), command::OpenScript{before});
}

void ScriptDocument::go_to(const std::string& path, std::size_t line) {
  if (path == script_.path || (script_.path.empty() && path == core::wire::kUnsavedScriptFile)) return around_.show(line);
  around_.jobs.post(Lane::files,
                    [this, path, line, own = script_.path](const std::stop_token&) -> JobPool::Apply {
                      std::error_code ignored;
                      if (!own.empty() && std::filesystem::equivalent(path, own, ignored))
                        return [this, line] { around_.show(line); };
                      if (!std::filesystem::is_regular_file(path, ignored))
                        return
                            [this, path] { around_.notices.add(Tone::plain, path + " is not a file that can be opened here."); };
                      return [this, path, line, text = read_script_file(path)] { take_opened(path, text, line); };
                    },
                    {JobKind::open_script});
}

// --- saving ------------------------------------------------------------------------------------------------------------

namespace {

// The bytes that would be lost by overwriting `target`: its content, if it differs from what the text was read from. Fails when
// there is a file whose content cannot be compared: it is binary, too large or not readable.
core::Result<std::optional<std::string>> lost_bytes(const std::string& target, std::optional<std::uint64_t> known_hash) {
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(target, ignored)) return std::nullopt;  // what is no file, write_file() judges
  auto bytes = read_text_file(target);
  if (!bytes) return std::unexpected(bytes.error());
  if (known_hash && content_hash(*bytes) == *known_hash) return std::nullopt;
  return std::move(*bytes);
}

}  // namespace

void ScriptDocument::save(const command::SaveScript& save) {
  const std::string target = save.path.empty() ? script_.path : save.path;
  if (save.document != 0 && save.document != script_.document)
    return around_.notices.add(Tone::warn, target + " was not saved: another script was opened meanwhile.");
  if (target.empty()) return around_.choose_target("");
  if (saving_) {
    save_next_ = command::SaveScript{target, save.replace, script_.document};
    return;
  }
  saving_ = true;
  saved_document_ = script_.document;
  const bool own = target == script_.path;
  const bool check = !save.replace && !(own && script_.on_disk == OnDisk::not_watched);
  around_.jobs.post(
      Lane::files,
      [this, target, check, own, document = script_.document, text = text(), format = script_.format,
       original = script_.saved_text, hash = script_.disk_hash](const std::stop_token&) -> JobPool::Apply {
        SaveResult result;
        core::Result<std::optional<std::string>> lost;
        if (check) lost = lost_bytes(target, own ? std::optional(hash) : std::nullopt);
        if (!own && (!lost || *lost)) {
          result.what = SaveResult::Exists{target};
        } else if (!lost) {
          result.what = core::Error{lost.error().kind, lost.error().message + " Nothing was saved."};
        } else if (*lost) {
          const std::string& bytes = **lost;
          auto disk = text_from_bytes(bytes, target);
          result.what = SaveResult::ChangedOnDisk{target, disk ? std::move(*disk) : FileText{bytes, {}, content_hash(bytes)}};
        } else {
          std::string bytes = bytes_from_text(*text, format, original);
          const auto written = write_file(target, bytes);
          if (written)
            result.what = SaveResult::Written{target, std::move(bytes)};
          else
            result.what = written.error();
        }
        return [this, document, text, result] { take_saved(document, *text, result); };
      });
}

void ScriptDocument::take_saved(std::uint64_t document, const std::string& text, SaveResult result) {
  saving_ = false;
  if (document != script_.document) {
    take_saved_of_another(document, text, result);
  } else if (const auto* error = std::get_if<core::Error>(&result.what)) {
    around_.notices.add(Tone::bad, error->message);
    watch();  // changes on disk were not reported meanwhile
  } else if (const auto* exists = std::get_if<SaveResult::Exists>(&result.what)) {
    around_.notices.add(Tone::warn, exists->target + " exists already; nothing was saved.", "Replace it",
                        command::SaveScript{exists->target, true, document});
  } else if (auto* changed = std::get_if<SaveResult::ChangedOnDisk>(&result.what)) {
    script_.disk = std::move(changed->disk);
    script_.on_disk = OnDisk::changed;
    script_.save_held = true;
    around_.show({});
  } else if (const auto* written = std::get_if<SaveResult::Written>(&result.what)) {
    script_.saved_as(written->target, text, written->bytes);
    around_.used(written->target);
    watch();
    const auto now = this->text();  // it may have been edited meanwhile
    script_.note_edit(*now);
    keep_unsaved(*now);
  }
  if (const auto next = std::exchange(save_next_, std::nullopt)) save(*next);
}

// The saved text is no longer the one in the editor, so nothing of this document follows from the outcome.
void ScriptDocument::take_saved_of_another(std::uint64_t document, const std::string& text, const SaveResult& result) {
  if (const auto* error = std::get_if<core::Error>(&result.what)) {
    around_.notices.add(Tone::bad, error->message);
  } else if (const auto* exists = std::get_if<SaveResult::Exists>(&result.what)) {
    around_.notices.add(Tone::warn, exists->target + " exists already; nothing was saved.");
  } else if (const auto* changed = std::get_if<SaveResult::ChangedOnDisk>(&result.what)) {
    around_.notices.add(Tone::warn, changed->target + " was not saved: another program changed it on disk.");
  } else if (const auto* written = std::get_if<SaveResult::Written>(&result.what)) {
    around_.used(written->target);
    put_aside_.forget_saved(document, text);
  }
}

// --- the file on disk --------------------------------------------------------------------------------------------------

void ScriptDocument::watch() {
  if (!options_.watch) return;
  if (!watch_) watch_ = std::make_unique<FileWatch>(options_.wake);
  watch_->watch(script_.on_disk == OnDisk::not_watched ? std::string() : script_.path, script_.disk_hash);
}

void ScriptDocument::take(const FileChange& change) {
  const bool own_write = saving_ && saved_document_ == script_.document;
  if (change.path != script_.path || script_.on_disk == OnDisk::not_watched || own_write) return;
  if (change.kind == FileChange::Kind::gone) {
    script_.on_disk = OnDisk::gone;
    return;
  }
  if (change.kind == FileChange::Kind::unreadable)
    return around_.notices.add(Tone::warn, script_.title() + " was changed on disk and cannot be read now. " + change.why);
  if (content_hash(change.bytes) == script_.disk_hash) {
    script_.on_disk = OnDisk::same;
    return;
  }
  auto text = text_from_bytes(change.bytes, script_.path);
  if (!text) return around_.notices.add(Tone::warn, "The new content on disk is not shown. " + text.error().message);
  script_.disk = std::move(*text);
  script_.on_disk = OnDisk::changed;
  // Nothing is lost when the text is unchanged or equal to the new content.
  if (!script_.modified || script_.disk.text == *this->text()) reload();
}

void ScriptDocument::reload() {
  if (script_.on_disk != OnDisk::changed) return;
  const std::uint64_t hash = script_.disk.hash;
  script_.reload();
  script_.said = fmt::format("Reloaded: {} was changed on disk.", script_.title());
  around_.replaced();
  if (watch_) watch_->watch(script_.path, hash);
  keep_unsaved({});
}

void ScriptDocument::keep_mine() {
  if (script_.on_disk != OnDisk::changed) return;
  script_.disk_hash = script_.disk.hash;
  script_.on_disk = OnDisk::same;
  script_.save_held = false;
  script_.modified = true;  // even if it equals what was last saved, because the disk has another content
  script_.saved_text = std::exchange(script_.disk, {}).text;
}

// --- edits and unsaved text --------------------------------------------------------------------------------------------

void ScriptDocument::note_edit() {
  script_.said.clear();
  script_.modified = true;
  edit_noted_at_ = std::chrono::steady_clock::now();
  edit_pending_ = true;
  if (script_.saved_text.size() <= kComparedAtOnce) settle_edit();
}

void ScriptDocument::note_breakpoints() {
  if (!script_.path.empty() || !script_.modified || edit_pending_) return;
  keep_unsaved(*text());
}

UnsavedText ScriptDocument::to_store(std::string now) const {
  UnsavedText out{.script_path = script_.path, .text = std::move(now)};
  if (script_.path.empty()) out.breakpoints = around_.breakpoints();
  if (!script_.path.empty() && script_.on_disk != OnDisk::not_watched) out.edited_from = script_.disk_hash;
  return out;
}

bool ScriptDocument::settle_edit() {
  if (!edit_pending_) return false;
  const bool waits =
      script_.saved_text.size() > kComparedAtOnce && std::chrono::steady_clock::now() - edit_noted_at_ < kTypingPause;
  if (waits) return false;
  edit_pending_ = false;
  const auto now = text();
  script_.note_edit(*now);
  keep_unsaved(*now);
  return true;
}

void ScriptDocument::keep_unsaved(const std::string& now) {
  if (options_.state_folder.empty()) return;
  around_.jobs.post(Lane::files,
                    [this, store = unsaved_, stored = to_store(script_.modified ? now : std::string()),
                     modified = script_.modified](const std::stop_token&) -> JobPool::Apply {
                      if (!modified) {
                        store.forget();
                        return {};
                      }
                      const auto kept = store.keep(stored);
                      if (kept) return {};
                      return [this, why = kept.error().message] {
                        around_.notices.add(Tone::warn, "The text cannot be kept for a crash: " + why);
                      };
                    },
                    {JobKind::keep_text});
}

// Opening another text loses nothing: changed text can be restored.
void ScriptDocument::put_aside_changed_text() {
  if (!script_.modified) return;
  put_aside_.put(to_store(*text()), std::exchange(unsaved_, UnsavedTextStore(options_.state_folder)), script_.document);
}

void ScriptDocument::give_up(std::uint64_t notice) { put_aside_.give_up(notice); }

void ScriptDocument::restore(std::uint64_t id) {
  if (put_aside_.undo_removal(id)) return;
  auto found = put_aside_.take(id);
  if (!found) return;
  around_.jobs.post(Lane::files, [this, taken = std::move(*found)](const std::stop_token&) -> JobPool::Apply {
    const std::string& path = taken.text.script_path;
    auto on_disk = path.empty() ? core::Result<FileText>(FileText{}) : read_script_file(path);
    return [this, taken, on_disk = std::move(on_disk)] { take_restored(taken, on_disk); };
  });
}

void ScriptDocument::take_restored(const PutAsideText& taken, const core::Result<FileText>& on_disk) {
  put_aside_changed_text();
  load_text(taken.text.script_path, taken.text.text);
  script_.saved_text = on_disk ? on_disk->text : std::string();
  if (on_disk) script_.format = on_disk->format;
  if (!taken.text.script_path.empty()) compare_restored(taken.text, on_disk);
  if (taken.text.script_path.empty()) around_.restored(taken.text.breakpoints);
  script_.note_edit(taken.text.text);
  // The old copy is removed only when the new one exists.
  around_.jobs.post(Lane::files, [store = unsaved_, taken](const std::stop_token&) -> JobPool::Apply {
    if (store.keep(taken.text)) taken.remove_stored();
    return {};
  });
}

// What another program wrote after the text was edited is not overwritten unasked. Where what it was edited from is not known
// (earlier versions did not store it), the file counts as changed since.
void ScriptDocument::compare_restored(const UnsavedText& taken, const core::Result<FileText>& on_disk) {
  const bool is_known = on_disk && (taken.text == on_disk->text || taken.edited_from == on_disk->hash);
  script_.disk_hash = is_known ? on_disk->hash : taken.edited_from.value_or(0);
  script_.on_disk = is_known || !on_disk ? OnDisk::same : OnDisk::changed;  // one that cannot be read: the watch says why
  if (script_.on_disk == OnDisk::changed) script_.disk = *on_disk;
  watch();
}

}  // namespace dlscope::app
