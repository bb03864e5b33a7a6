// The script pane: a Python editor with Run, Stop, Kill and Restart above it, and what finds and replaces in it. The text
// lives in the editor; whoever needs it asks with editor_text().
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "app/models/actions/commands.h"
#include "app/models/script/script_model.h"
#include "app/panels/frame_context.h"
#include "app/panels/script/find_bar.h"

class TextEditor;

namespace dlscope::app {

struct ScriptPanelState {
  ScriptPanelState();
  ~ScriptPanelState();
  ScriptPanelState(const ScriptPanelState&) = delete;
  ScriptPanelState& operator=(const ScriptPanelState&) = delete;

  std::unique_ptr<TextEditor> editor;  // made with the first frame: it needs an ImGui context
  std::uint64_t loaded_revision = 0;   // ScriptModel::text_revision in the editor
  std::uint64_t revision = 1;          // rises with every change of the editor's text
  std::uint64_t seen_revision = 1;
  std::shared_ptr<const std::string> text;  // of `text_revision`, fetched when somebody asked
  std::uint64_t text_revision = 0;
  std::string indent = "    ";    // one step, as the text indents
  std::optional<ErrorMark> mark;  // shown in the editor
  ThemeChoice palette = ThemeChoice::dark;
  ImU32 found_colour = 0;
  FindBarState find;
  std::string arguments;                    // sys.argv[1:], as typed in the toolbar
  std::optional<std::string> arguments_of;  // the script they are of; nullopt: before the first frame
  bool edited = false;                     // the text changed in this frame
  bool focus_editor = false;               // put the keyboard there in the next frame
  bool has_keyboard = false;               // the whole panel
  bool typing = false;                     // the editor itself
  std::optional<std::size_t> reveal_line;  // go there with the next frame, zero-based
  std::string said;                        // about the last key, until the next edit or key
};

void draw_script_panel(const FrameContext& context, ScriptPanelState& state, const ScriptModel& script, Commands& commands);

// The text as it stands, "" before the first frame.
[[nodiscard]] std::string editor_text(const ScriptPanelState& state);
// The same, fetched once per change.
[[nodiscard]] std::shared_ptr<const std::string> current_text(ScriptPanelState& state);
// Where the cursor is, zero-based.
[[nodiscard]] std::size_t cursor_line(const ScriptPanelState& state);
[[nodiscard]] std::string selected_text(const ScriptPanelState& state);
void run_selection_or_statement(ScriptPanelState& state, Commands& commands);

}  // namespace dlscope::app
