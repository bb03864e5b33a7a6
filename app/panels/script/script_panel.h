// The script pane: a Python editor with Run, Stop, Kill and Restart above it, and what finds and replaces in it. The text
// lives in the editor; whoever needs it asks with editor_text().
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/models/actions/commands.h"
#include "app/models/script/script_model.h"
#include "app/panels/frame_context.h"
#include "app/panels/script/find_bar.h"
#include "app/panels/script/gutter.h"
#include "app/panels/script/source_view.h"

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
  std::string path;               // BreakpointList's, of the text in the editor
  std::string path_of;            // the script's path it was made of
  std::vector<LineEdit> line_edits;  // since the last frame: breakpoints move with their lines
  GutterState gutter;
  SourceViewState source;               // shown instead of the editor while it is open
  std::uint64_t run_revision = 0;       // of the text that was run last; 0: none was, or it is not in the editor yet
  std::uint64_t run_text_revision = 0;  // ScriptModel::text_revision of it
  std::uint64_t shown_frame = 0;        // StopView::revision whose line was brought into view
  std::uint32_t marked_line = 0;        // where the chosen frame stands, as the editor has it
  ThemeChoice palette = ThemeChoice::dark;
  ImU32 found_colour = 0;
  FindBarState find;
  std::string arguments, working_folder, module;  // of the next run, as typed in the toolbar
  std::optional<std::string> run_settings_of;     // the script they are of; nullopt: before the first frame
  bool edited = false;                            // the text changed in this frame
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
// The text was run that is in the editor, or that comes there with the next frame. text_revision: ScriptModel's.
void note_run(ScriptPanelState& state, std::uint64_t text_revision);
// The file that is shown and the line of the cursor in it, one-based: what F9 and "run to the cursor" are about.
struct SourcePlace {
  std::string path;
  std::uint32_t line = 0;
};
[[nodiscard]] SourcePlace cursor_place(const ScriptPanelState& state);
// Where the cursor is in the script, zero-based.
[[nodiscard]] std::size_t cursor_line(const ScriptPanelState& state);
[[nodiscard]] std::string selected_text(const ScriptPanelState& state);
void run_selection_or_statement(ScriptPanelState& state, Commands& commands);

}  // namespace dlscope::app
