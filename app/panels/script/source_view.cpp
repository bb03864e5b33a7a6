#include "app/panels/script/source_view.h"

#include <TextEditor.h>
#include <imgui.h>

#include <algorithm>

#include "app/panels/script/line_marks.h"
#include "app/widgets/marks.h"

namespace dlscope::app {
namespace {

void load(SourceViewState& state) {
  if (!state.editor) {
    state.editor = std::make_unique<TextEditor>();
    state.editor->SetReadOnlyEnabled(true);
    state.editor->SetShowWhitespacesEnabled(false);
    state.editor->SetShowScrollbarMiniMapEnabled(false);
    state.editor->SetFindReplaceEnabled(false);
    add_gutter(*state.editor, state.gutter);
  }
  if (state.loaded_revision == state.text_revision) return;
  state.loaded_revision = state.text_revision;
  state.editor->SetLanguage(TextEditor::Language::Python());
  state.editor->SetText(state.text);
  state.marked_line = 0;
}

}  // namespace

SourceViewState::SourceViewState() = default;
SourceViewState::~SourceViewState() = default;

void show_source(SourceViewState& state, const std::string& path, std::uint32_t line, Commands& commands) {
  state.reveal_line = line;
  if (state.path != path) {
    state.path = path;
    // What was last shown of the same file stays, until it is read again and compared with that.
    if (state.gutter.path != path) state.text.clear();
    state.failure.clear();
    ++state.text_revision;
  }
  commands.push(command::ReadSource{path});
}

void close_source(SourceViewState& state) { state.path.clear(); }

void draw_source(const FrameContext& context, SourceViewState& state, const TextEditor& like, const std::string& script_title,
                 Commands& commands) {
  load(state);
  state.editor->SetPalette(like.GetPalette());
  const std::string name = state.path.substr(state.path.rfind('/') + 1);
  draw_wrapped_text(name + ", as it is on the disk. It can be read here, and stopped in.", context.theme.dim);
  explain(state.path);
  bool leaves = ImGui::Button(("Back to " + script_title).c_str());  // after this frame, which still draws the file
  ImGui::SameLine();
  if (ImGui::Button("Edit it instead")) {
    commands.push(command::OpenScript{state.path});
    leaves = true;
  }
  explain("Opens this file as the script: Run takes it then.");
  if (!state.failure.empty()) {
    if (leaves) close_source(state);
    return draw_wrapped_text(state.failure, context.theme.bad);
  }
  begin_gutter(context, state.path, state.gutter);
  const std::uint32_t line = state.gutter.frame_line;
  if (state.marked_line != line && state.editor->GetLineCount() >= line) {
    state.marked_line = line;
    state.editor->ClearMarkers();
    if (line != 0) mark_frame_line(*state.editor, line, context.theme, state.gutter.innermost);
  }
  if (state.reveal_line != 0 && state.editor->GetLineCount() >= state.reveal_line && !state.text.empty()) {
    state.editor->SetCursor({state.reveal_line - 1, 0});
    state.editor->ScrollToLine(state.reveal_line - 1);
    state.reveal_line = 0;
  }
  ImGui::PushFont(context.fonts.mono, 0.0F);
  state.editor->Render("##source", ImGui::GetContentRegionAvail());
  ImGui::PopFont();
  end_gutter(context, state.gutter, commands);
  if (leaves) close_source(state);
}

std::uint32_t source_cursor_line(const SourceViewState& state) {
  return state.editor ? static_cast<std::uint32_t>(state.editor->GetMainCursorPosition().line + 1) : 0;
}

}  // namespace dlscope::app
