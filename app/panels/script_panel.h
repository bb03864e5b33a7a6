// The script pane: a Python editor with Run, Stop, Kill and Restart above it. The text lives in the editor; whoever needs
// it asks with editor_text().
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "app/models/commands.h"
#include "app/models/script_model.h"
#include "app/panels/frame_context.h"

class TextEditor;

namespace dlscope::app {

struct ScriptPanelState {
  ScriptPanelState();
  ~ScriptPanelState();
  ScriptPanelState(const ScriptPanelState&) = delete;
  ScriptPanelState& operator=(const ScriptPanelState&) = delete;

  std::unique_ptr<TextEditor> editor;  // made with the first frame: it needs an ImGui context
  std::uint64_t loaded_revision = 0;   // ScriptModel::text_revision in the editor
  std::size_t seen_undo_index = 0;
  std::optional<ErrorMark> mark;  // shown in the editor
  ThemeChoice palette = ThemeChoice::dark;
  bool edited = false;        // the text changed in this frame
  bool focus_editor = false;  // put the keyboard there in the next frame
  bool has_keyboard = false;
};

void draw_script_panel(const FrameContext& context, ScriptPanelState& state, const ScriptModel& script, Commands& commands);

// The text as it stands, "" before the first frame.
[[nodiscard]] std::string editor_text(const ScriptPanelState& state);
// The selected text, or the line with the cursor. For running a part.
[[nodiscard]] std::string selection_or_line(const ScriptPanelState& state);

}  // namespace dlscope::app
