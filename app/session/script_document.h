// ScriptDocument: the script as a document: opened, edited, saved, watched for changes by other programs, and stored for recovery
// while it is not saved. The text itself is kept in an editor. Only load_file() uses a file on the UI thread.
// thread: UI.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/models/actions/commands.h"
#include "app/models/actions/notices.h"
#include "app/models/jobs/job_pool.h"
#include "app/models/script/script_model.h"
#include "app/session/file_watch.h"
#include "app/session/put_aside_texts.h"
#include "app/session/unsaved_text.h"

namespace dlscope::app {

// What a document needs from the window.
struct DocumentSurroundings {
  JobPool& jobs;
  Notices& notices;
  // The editor's text that began as this ScriptModel::text_revision; null: it has another text, or does not exist yet.
  std::function<std::shared_ptr<const std::string>(std::uint64_t)> editor_text = [](std::uint64_t) { return nullptr; };
  // The breakpoints of the editor's text while it has no file; those in files are kept with the settings.
  std::function<std::vector<KeptBreakpoint>()> breakpoints = [] { return std::vector<KeptBreakpoint>(); };
  std::function<void(const std::vector<KeptBreakpoint>&)> restored = [](const auto&) {};  // the text, which had these
  std::function<void()> replaced = [] {};  // another text: the last run was not of this one
  std::function<void(const std::string& path)> used = [](const std::string&) {};                  // a file was opened or written
  std::function<void(std::optional<std::size_t> line)> show = [](std::optional<std::size_t>) {};  // show the editor, at a line
  std::function<void(const std::string& start)> choose_file = [](const std::string&) {};          // to open; start: where
  std::function<void(const std::string& start)> choose_target = [](const std::string&) {};        // to choose the file to save to
};

struct DocumentOptions {
  std::string state_folder;    // where unsaved text is stored; "": nowhere
  bool watch = true;           // false: for a picture
  std::function<void()> wake;  // called from any thread when update() has something
};

class ScriptDocument {
 public:
  ScriptDocument(DocumentSurroundings around, DocumentOptions options);
  // Call at the end: waits for pending writes. Changed text is stored and offered at the next start, like each text that was put
  // aside; saved text is not. Fails with words where it cannot be stored and nobody has agreed to lose it.
  core::Result<void> close();
  // The person wants to leave: stores changed text and calls `then`. Where that is not possible, asks in a notice instead, which
  // names each text and whose button asks to leave again; that, and any other second request, leaves at once, unless there is a text
  // by now that the notice does not name. So does a disk that does not answer: close() waits for it.
  void leave(std::function<void()> then);
  [[nodiscard]] bool leaving() const { return leave_ != nullptr; }  // update() must be called soon

  [[nodiscard]] const ScriptModel& model() const { return script_; }
  [[nodiscard]] std::shared_ptr<const std::string> text() const;  // the present text of the editor
  [[nodiscard]] bool saving() const { return saving_; }

  // Call once a frame: takes changes on disk, and edits that waited for a pause in typing. True: something changed.
  bool update();
  void note_edit();         // call when the editor's text changed
  void note_breakpoints();  // call when breakpoints changed: those of a text without a file are stored with it

  void load_text(std::string path, std::string text);  // for start, pictures and tests
  core::Result<void> load_file(const std::string& path);
  void start_new();
  void open(const std::string& path);  // "": lets the person choose
  void save(const command::SaveScript& save);
  void reload();
  void keep_mine();
  void restore(std::uint64_t id);      // a text that was put aside; one that was removed since is offered again
  void give_up(std::uint64_t notice);  // dismissed: if it offers such a text, that is removed
  // Goes to a line named by a traceback: of this script, or of another file, which is opened with a way back.
  void go_to(const std::string& path, std::size_t line);

 private:
  struct SaveResult;
  void take_opened(const std::string& path, const core::Result<FileText>& text, std::optional<std::size_t> line);
  void take_saved(std::uint64_t document, const std::string& text, SaveResult result);
  void take_saved_of_another(std::uint64_t document, const std::string& text, const SaveResult& result);
  void take_restored(const PutAsideText& taken, const core::Result<FileText>& on_disk);
  void take(const FileChange& change);
  void put_aside_changed_text();
  void keep_unsaved(const std::string& now);
  void compare_restored(const UnsavedText& taken, const core::Result<FileText>& on_disk);
  [[nodiscard]] UnsavedText to_store(std::string now) const;  // that text of the editor, with what is stored beside it
  bool settle_edit();
  void watch();

  DocumentSurroundings around_;
  DocumentOptions options_;
  ScriptModel script_;
  UnsavedTextStore unsaved_;  // of the text in the editor
  PutAsideTexts put_aside_;
  std::unique_ptr<FileWatch> watch_;
  bool edit_pending_ = false;  // a large text was edited and not compared yet
  std::chrono::steady_clock::time_point edit_noted_at_;
  bool saving_ = false;
  std::function<void()> leave_;  // when the text is stored; null: nobody leaves
  std::chrono::steady_clock::time_point leaves_at_;  // at the latest
  // What the question names, or the person has agreed to lose.
  struct Lost {
    std::shared_ptr<const std::string> text;  // of the editor; null: none
    std::vector<std::uint64_t> aside;         // PutAsideText::id
  };
  [[nodiscard]] bool may_be_lost(const std::string& text) const;  // of the editor
  [[nodiscard]] bool may_be_lost(const PutAsideText& aside) const;
  [[nodiscard]] std::vector<PutAsideText> aside_not_kept() const;  // and not agreed to be lost
  Lost named_as_lost_, may_be_lost_;
  std::uint64_t saved_document_ = 0;  // the one being saved: another may be open by then
  std::optional<command::SaveScript> save_next_;  // requested while another save was under way
};

}  // namespace dlscope::app
