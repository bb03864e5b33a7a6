#include "app/panels/script_panel.h"

#include <TextEditor.h>
#include <fmt/format.h>
#include <imgui.h>

#include "app/panels/run_buttons.h"
#include "app/widgets/marks.h"

namespace dlscope::app {
namespace {

void make_editor(ScriptPanelState& state) {
  state.editor = std::make_unique<TextEditor>();
  state.editor->SetLanguage(TextEditor::Language::Python());
  state.editor->SetShowWhitespacesEnabled(false);
  state.editor->SetInsertSpacesOnTabs(true);
  state.editor->SetTabSize(4);
  state.editor->SetShowMatchingBrackets(true);
  state.editor->SetCompletePairedGlyphs(false);
  state.editor->SetShowScrollbarMiniMapEnabled(false);
}

void set_palette(const Theme& theme, ScriptPanelState& state, bool force) {
  if (!force && state.palette == theme.choice) return;
  state.palette = theme.choice;
  TextEditor::Palette palette = theme.choice == ThemeChoice::light ? TextEditor::GetLightPalette() : TextEditor::GetDarkPalette();
  palette[static_cast<std::size_t>(TextEditor::Color::background)] = ImGui::ColorConvertFloat4ToU32(theme.panel);
  palette[static_cast<std::size_t>(TextEditor::Color::text)] = ImGui::ColorConvertFloat4ToU32(theme.text);
  state.editor->SetPalette(palette);
}

void load_text(ScriptPanelState& state, const ScriptModel& script) {
  if (state.loaded_revision == script.text_revision) return;
  state.loaded_revision = script.text_revision;
  state.editor->SetText(script.text);
  state.seen_undo_index = state.editor->GetUndoIndex();
  state.mark.reset();
}

void show_mark(const FrameContext& context, ScriptPanelState& state) {
  auto wanted = error_mark(context.outcome);
  if (wanted == state.mark) return;
  state.mark = std::move(wanted);
  state.editor->ClearMarkers();
  if (!state.mark) return;
  const auto line = static_cast<std::size_t>(state.mark->line - 1);
  if (line >= state.editor->GetLineCount()) return;
  const ImVec4 bad = context.theme.bad;
  state.editor->AddMarker(line, ImGui::GetColorU32({bad.x, bad.y, bad.z, 0.30F}),
                          ImGui::GetColorU32({bad.x, bad.y, bad.z, 0.18F}), state.mark->message, state.mark->message);
  state.editor->ScrollToLine(line);
}

void draw_toolbar(const FrameContext& context, const ScriptModel& script, const ScriptPanelState& state, Commands& commands) {
  draw_run_buttons(context, commands);
  const std::string title = script.title() + (script.modified ? " ●" : "");
  const float room = ImGui::GetWindowPos().x + ImGui::GetWindowWidth() - ImGui::GetItemRectMax().x - context.px(20);
  if (ImGui::CalcTextSize(title.c_str()).x < room) ImGui::SameLine(0, context.px(12));
  ImGui::AlignTextToFramePadding();
  words(title, context.theme.dim);
  explain(script.path.empty()
              ? "Not saved in a file yet. Ctrl+S saves it."
              : script.path + (script.modified ? "\nChanged since it was saved; Run takes the text as you see it." : ""));
  if (state.mark) {
    wrapped_words(fmt::format("Line {}: {}", state.mark->line, state.mark->message), context.theme.bad);
  }
}

}  // namespace

ScriptPanelState::ScriptPanelState() = default;
ScriptPanelState::~ScriptPanelState() = default;

void draw_script_panel(const FrameContext& context, ScriptPanelState& state, const ScriptModel& script, Commands& commands) {
  state.edited = false;
  const bool fresh = state.editor == nullptr;
  if (fresh) make_editor(state);
  set_palette(context.theme, state, fresh);
  load_text(state, script);
  state.has_keyboard = false;
  if (ImGui::Begin(kScriptWindow)) {
    show_mark(context, state);
    draw_toolbar(context, script, state, commands);
    ImGui::PushFont(context.fonts.mono, 0.0F);
    if (state.focus_editor) state.editor->SetFocus();
    state.focus_editor = false;
    state.editor->Render("##editor", ImGui::GetContentRegionAvail());
    ImGui::PopFont();
    state.has_keyboard = ImGui::IsWindowFocused(ImGuiFocusedFlags_ChildWindows);
    if (state.editor->GetUndoIndex() != state.seen_undo_index) {
      state.seen_undo_index = state.editor->GetUndoIndex();
      state.edited = true;
    }
  }
  ImGui::End();
}

std::string editor_text(const ScriptPanelState& state) { return state.editor ? state.editor->GetText() : std::string(); }

std::string selection_or_line(const ScriptPanelState& state) {
  if (!state.editor) return {};
  const std::size_t cursor = state.editor->GetNumberOfCursors() > 0 ? state.editor->GetNumberOfCursors() - 1 : 0;
  std::string text = state.editor->GetCursorText(cursor);
  if (text.empty()) text = state.editor->GetLineText(state.editor->GetMainCursorPosition().line);
  return text;
}

}  // namespace dlscope::app
