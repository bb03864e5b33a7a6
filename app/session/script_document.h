// ScriptDocument: the script as a document: opened, edited, saved, watched for changes by others, and kept for a crash while it
// is not saved. The text itself lives in an editor; no file is touched on the UI thread but by load_file().
// thread: UI.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "app/models/actions/commands.h"
#include "app/models/actions/notices.h"
#include "app/models/jobs/job_pool.h"
#include "app/models/script/script_model.h"
#include "app/session/file_watch.h"
#include "app/session/unsaved_text.h"

namespace dlscope::app {

// What a document needs of the window around it.
struct DocumentSurroundings {
  JobPool& jobs;
  Notices& notices;
  // What the editor has of the text with this ScriptModel::text_revision; null: another text, or there is no editor yet.
  std::function<std::shared_ptr<const std::string>(std::uint64_t)> editor_text = [](std::uint64_t) { return nullptr; };
  std::function<void()> replaced = [] {};  // another text: the last run was not of this one
  std::function<void(const std::string& path)> used = [](const std::string&) {};                  // a file was opened or written
  std::function<void(std::optional<std::size_t> line)> show = [](std::optional<std::size_t>) {};  // the editor, at a line
  std::function<void(const std::string& start)> choose_file = [](const std::string&) {};          // to open; where to begin
  std::function<void(const std::string& start)> choose_target = [](const std::string&) {};        // to save as
};

struct DocumentOptions {
  std::string state_folder;    // where unsaved text is kept; "": nowhere
  bool watch = true;           // false: a picture, nothing happens any more
  std::function<void()> wake;  // from any thread: update() has something
};

class ScriptDocument {
 public:
  ScriptDocument(DocumentSurroundings around, DocumentOptions options);
  // Before the end: waits for what is being written. Changed text is offered again at the next start, saved text is not kept twice.
  void close();

  [[nodiscard]] const ScriptModel& model() const { return script_; }
  [[nodiscard]] std::shared_ptr<const std::string> text() const;  // as it stands in the editor
  [[nodiscard]] bool saving() const { return saving_; }

  // Once a frame: changes on disk, and edits that were waiting for a pause in the typing. True: something changed.
  bool update();
  void note_edit();  // the editor's text changed

  void load_text(std::string path, std::string text);  // for the start, pictures and tests
  core::Result<void> load_file(const std::string& path);
  void start_new();
  void open(const std::string& path);  // "": asks which
  void save(const command::SaveScript& save);
  void reload();
  void keep_mine();
  void restore_unsaved();
  // A line of a file that a traceback names: of this script, or of another one that is opened, with a way back.
  void go_to(const std::string& path, std::size_t line);

 private:
  struct SaveResult;
  void take_opened(const std::string& path, const core::Result<FileText>& text, std::optional<std::size_t> line);
  void take_saved(const std::string& text, SaveResult result);
  void take_restored(const UnsavedText& taken, const core::Result<FileText>& on_disk);
  void take(const FileChange& change);
  void put_aside_changed_text();
  void keep_unsaved(const std::string& now);
  void offer_left_behind();
  bool settle_edit();
  void watch();

  DocumentSurroundings around_;
  DocumentOptions options_;
  ScriptModel script_;
  UnsavedTextStore unsaved_;
  std::optional<UnsavedText> left_behind_;  // offered in a notice
  std::unique_ptr<FileWatch> watch_;
  bool edit_pending_ = false;  // a large text was typed into and not compared yet
  std::chrono::steady_clock::time_point edit_noted_at_;
  bool saving_ = false;
  std::optional<command::SaveScript> save_next_;  // asked for while another was being written
};

}  // namespace dlscope::app
