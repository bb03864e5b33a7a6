// The script being edited: where its text lives, whether it was changed, how its last run ended. The text itself stays in
// the editor until somebody asks for it. Reading a file is explicit and never runs anything.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "app/models/text/text_file.h"
#include "core/base/result.h"
#include "core/inventory/run_outcome.h"

namespace dlscope::app {

// How the file on disk stands to the text.
enum class OnDisk : std::uint8_t {
  not_watched,  // no file, or one that was never read
  same,         // as last read or written here
  changed,      // by another program; `disk` has it
  gone,
};

// Which script a text is: the file, or without one the text that was opened.
struct ScriptIdentity {
  std::string path;
  std::uint64_t document = 0;
};

struct ScriptModel {
  std::string path;        // "" for text without a file
  std::string saved_text;  // as on disk; what "modified" compares with
  bool modified = false;
  std::uint64_t document = 0;       // rises with every open()
  std::uint64_t text_revision = 0;  // rises when the text was replaced from outside the editor: reload it
  std::string text;                 // what to load then, and what was last fetched for a run
  bool keep_place = false;          // load it as an edit: cursor, scroll and Undo stay
  TextFormat format;                // how saved_text is written
  std::uint64_t disk_hash = 0;      // of the bytes last read or written here
  OnDisk on_disk = OnDisk::not_watched;
  FileText disk;           // when changed
  bool save_held = false;  // a save was not done, because it would have lost that
  std::string said;        // something quiet about the file, until the next edit

  // "tour.py", "untitled".
  [[nodiscard]] std::string title() const;
  [[nodiscard]] ScriptIdentity identity() const { return {path, document}; }
  [[nodiscard]] bool is_the_one_of(const ScriptIdentity& other) const {
    return document == other.document || (!path.empty() && path == other.path);
  }
  // Replaces everything; the editor reloads.
  void open(std::string file, std::string content);
  void open(std::string file, FileText content);
  // The file was written with this text; `bytes` is what was written.
  void saved_as(std::string file, std::string content, std::string_view bytes);
  // Takes what is on disk now, keeping the place.
  void reload();
  // After the editor's text changed.
  void note_edit(const std::string& now) { modified = now != saved_text; }
};

// The line to mark in the editor for an outcome, and its words; nullopt when there is none.
struct ErrorMark {
  std::int32_t line = 0;  // 1-based
  std::string message;    // "ZeroDivisionError: division by zero"
  friend bool operator==(const ErrorMark&, const ErrorMark&) = default;
};
[[nodiscard]] std::optional<ErrorMark> error_mark(const core::RunOutcome& outcome);

// One sentence about how a run ended: "Finished.", "Raised ZeroDivisionError in line 3: division by zero."
[[nodiscard]] std::string outcome_sentence(const core::RunOutcome& outcome);

// A file as the text to edit, and how to write it back. Fails where read_text_file (app/files) does, and on what is not UTF-8.
[[nodiscard]] core::Result<FileText> read_script_file(const std::string& path);

}  // namespace dlscope::app
