// The script pane: a Python editor, the run buttons and the find bar above it. The text is kept in the editor; callers get it
// with editor_text().
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

  std::unique_ptr<TextEditor> editor;  // created in the first frame, because it needs an ImGui context
  std::uint64_t loaded_revision = 0;   // ScriptModel::text_revision in the editor
  std::uint64_t revision = 1;          // rises with every change of the editor's text
  std::uint64_t seen_revision = 1;
  std::shared_ptr<const std::string> text;  // of `text_revision`, fetched on demand
  std::uint64_t text_revision = 0;
  std::string indent = "    ";    // one indentation step of the text
  std::optional<ErrorMark> mark;  // shown in the editor
  std::string path;               // of the text in the editor, as in BreakpointList
  std::string path_of;            // the script's path that `path` was made of
  std::vector<LineEdit> line_edits;  // edits since the last frame, to move breakpoints
  GutterState gutter;
  SourceViewState source;               // while open, shown in place of the editor
  std::uint64_t run_revision = 0;       // of the text that was last run; 0: none, or it is not in the editor yet
  std::uint64_t run_text_revision = 0;  // ScriptModel::text_revision of that text
  std::uint64_t shown_frame = 0;        // StopView::place whose line was last brought into view
  std::uint32_t marked_line = 0;        // line of the chosen frame that is marked in the editor
  ThemeChoice palette = ThemeChoice::dark;
  ImU32 found_colour = 0;
  FindBarState find;
  std::string arguments, working_folder, module;  // for the next run, as typed in the toolbar
  std::optional<ScriptIdentity> run_settings_of;  // the script these belong to; nullopt: before the first frame
  bool edited = false;                            // the text changed in this frame
  bool focus_editor = false;               // put the keyboard there in the next frame
  bool has_keyboard = false;               // the whole panel
  bool typing = false;                     // the editor itself
  std::optional<std::size_t> reveal_line;  // go to this line in the next frame, zero-based
  std::string said;                        // a message about the last key, until the next edit or key
};

void draw_script_panel(const FrameContext& context, ScriptPanelState& state, const ScriptModel& script, Commands& commands);

// The present text; "" before the first frame.
[[nodiscard]] std::string editor_text(const ScriptPanelState& state);
// The same, copied once per change.
[[nodiscard]] std::shared_ptr<const std::string> current_text(ScriptPanelState& state);
// Notes that a text was run: the one in the editor, or the one to be loaded next. text_revision: ScriptModel's.
void note_run(ScriptPanelState& state, std::uint64_t text_revision);
// The shown file and the line of the cursor, one-based; for F9 and "run to the cursor".
struct SourcePlace {
  std::string path;
  std::uint32_t line = 0;
};
[[nodiscard]] SourcePlace cursor_place(const ScriptPanelState& state);
// The cursor's line in the script, zero-based.
[[nodiscard]] std::size_t cursor_line(const ScriptPanelState& state);
[[nodiscard]] std::string selected_text(const ScriptPanelState& state);
void run_selection_or_statement(ScriptPanelState& state, Commands& commands);

}  // namespace dlscope::app
