// The script being edited: its file, whether it was changed, how its last run ended. The text itself stays in the editor until it
// is requested. Reading a file is explicit and never runs anything.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "app/models/text/text_file.h"
#include "core/base/result.h"
#include "core/inventory/run_outcome.h"

namespace dlscope::app {

// The state of the file on disk relative to this text.
enum class OnDisk : std::uint8_t {
  not_watched,  // no file, or one that was never read
  same,         // as last read or written here
  changed,      // by another program; the new content is in `disk`
  gone,
};

// Identifies the script of a text: by its file, or without one by the opened document.
struct ScriptIdentity {
  std::string path;
  std::uint64_t document = 0;
};

struct ScriptModel {
  std::string path;        // "" for text without a file
  std::string saved_text;  // as on disk; `modified` compares with it
  bool modified = false;
  std::uint64_t document = 0;       // rises with every open()
  std::uint64_t text_revision = 0;  // rises when the text was replaced from outside the editor, which then reloads it
  std::string text;                 // the text to load then; also the one last fetched for a run
  bool keep_place = false;          // load it as an edit: cursor, scroll position and Undo stay
  TextFormat format;                // line ends and encoding of the file
  std::uint64_t disk_hash = 0;      // of the bytes last read or written here
  OnDisk on_disk = OnDisk::not_watched;
  FileText disk;           // when on_disk is `changed`
  bool save_held = false;  // a save was refused because it would have overwritten that
  std::string said;        // a message about the file, until the next edit

  // "tour.py", "untitled".
  [[nodiscard]] std::string title() const;
  [[nodiscard]] ScriptIdentity identity() const { return {path, document}; }
  [[nodiscard]] bool is_the_one_of(const ScriptIdentity& other) const {
    return document == other.document || (!path.empty() && path == other.path);
  }
  // Replaces everything; the editor reloads the text.
  void open(std::string file, std::string content);
  void open(std::string file, FileText content);
  // Call after the file was written with this text; `bytes` is what was written.
  void saved_as(std::string file, std::string content, std::string_view bytes);
  // Takes the content on disk, keeping the cursor.
  void reload();
  // Call after the editor's text changed.
  void note_edit(const std::string& now) { modified = now != saved_text; }
};

// The line to mark in the editor after a run, and its message; nullopt: none.
struct ErrorMark {
  std::int32_t line = 0;  // 1-based
  std::string message;    // "ZeroDivisionError: division by zero"
  friend bool operator==(const ErrorMark&, const ErrorMark&) = default;
};
[[nodiscard]] std::optional<ErrorMark> error_mark(const core::RunOutcome& outcome);

// Reads a file as text to edit, with what is needed to write it back. Fails where read_text_file (app/files) does, and on text
// that is not UTF-8.
[[nodiscard]] core::Result<FileText> read_script_file(const std::string& path);

}  // namespace dlscope::app
