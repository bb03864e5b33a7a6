#include "app/panels/script/script_panel.h"

#include <TextEditor.h>
#include <fmt/core.h>
#include <imgui.h>
#include <misc/cpp/imgui_stdlib.h>

#include <utility>

#include "app/models/actions/key_hints.h"
#include "app/models/debug/line_edits.h"
#include "app/models/exchange/loading_line.h"
#include "app/models/text/format.h"
#include "app/models/text/python_text.h"
#include "app/panels/script/breakpoint_menu.h"
#include "app/panels/script/line_marks.h"
#include "app/panels/script/run_buttons.h"
#include "app/panels/script/script_editing.h"
#include "app/panels/script/text_changes.h"
#include "app/widgets/marks.h"

namespace dlscope::app {
namespace {

// Larger texts have no colours and bracket marks, which are computed for the whole text with every key.
constexpr std::size_t kMaxColoured = 1u << 20;
constexpr std::size_t kShownArguments = 24;  // characters on the button

void make_editor(ScriptPanelState& state) {
  state.editor = std::make_unique<TextEditor>();
  state.editor->SetShowWhitespacesEnabled(false);
  state.editor->SetInsertSpacesOnTabs(false);  // tabs in a file stay tabs; see handle_editor_keys()
  state.editor->SetTabSize(4);
  state.editor->SetCompletePairedGlyphs(false);
  state.editor->SetShowScrollbarMiniMapEnabled(false);
  state.editor->SetFindReplaceEnabled(false);  // our find bar replaces it
  state.editor->SetTransactionCallback([&state](const std::vector<TextEditor::Change>& changes) {
    ++state.revision;
    note_line_edits(*state.editor, changes, state.line_edits);
  });
  add_gutter(*state.editor, state.gutter);
}

void set_palette(const Theme& theme, ScriptPanelState& state, bool force) {
  if (!force && state.palette == theme.choice) return;
  state.palette = theme.choice;
  TextEditor::Palette palette = theme.choice == ThemeChoice::light ? TextEditor::GetLightPalette() : TextEditor::GetDarkPalette();
  const auto set = [&palette](TextEditor::Color colour, ImVec4 value, float alpha = 1.0F) {
    value.w *= alpha;
    palette[static_cast<std::size_t>(colour)] = ImGui::ColorConvertFloat4ToU32(value);
  };
  set(TextEditor::Color::background, theme.panel, 0);  // transparent: the panel's own background shows
  set(TextEditor::Color::text, theme.text);
  set(TextEditor::Color::selection, theme.accent, 0.35F);
  set(TextEditor::Color::lineNumber, theme.dim);
  set(TextEditor::Color::currentLineNumber, theme.text);
  set(TextEditor::Color::currentLineHighlight, theme.raised, 0.6F);
  set(TextEditor::Color::currentLineHighlightBorder, theme.border, 0.6F);
  state.editor->SetPalette(palette);
  ImVec4 found = theme.warn;
  found.w = 0.30F;
  state.found_colour = ImGui::ColorConvertFloat4ToU32(found);
}

void load_text(ScriptPanelState& state, const ScriptModel& script) {
  if (state.loaded_revision == script.text_revision) return;
  const bool first = state.loaded_revision == 0;
  state.loaded_revision = script.text_revision;
  const bool coloured = script.text.size() <= kMaxColoured;
  state.editor->SetLanguage(coloured ? TextEditor::Language::Python() : nullptr);
  state.editor->SetShowMatchingBrackets(coloured);
  state.indent = indent_unit(script.text);
  if (script.keep_place && !first) {
    const std::string before = state.editor->GetText();
    const std::size_t edits = state.line_edits.size();
    replace_keeping_place(*state.editor, before, script.text);
    // The editor knows of one replacement, from the first line that differs to the last; between them lines stay.
    state.line_edits.resize(edits);
    for (const LineEdit& each : line_edits_between(before, script.text)) state.line_edits.push_back(each);
  } else {
    state.editor->SetText(script.text);
    ++state.revision;
    close_source(state.source);  // at a stop another file is shown: what was just opened is to be seen
  }
  state.seen_revision = state.revision;
  if (state.run_text_revision == script.text_revision) state.run_revision = state.revision;  // run before it was loaded
  state.mark.reset();
  state.marked_line = 0;
  state.editor->ClearMarkers();
  state.said.clear();
}

// Sets the path under which this text's breakpoints are kept.
void name_text(ScriptPanelState& state, const ScriptModel& script) {
  if (state.path.empty() || state.path_of != script.path) {
    state.path_of = script.path;
    state.path = source_path(script.path);
    // From here on its breakpoints follow the editor, not what the source view showed of it.
    if (state.source.gutter.path == state.path) {
      state.source.text.clear();
      close_source(state.source);
    }
  }
}

// Brings the line of the chosen frame into view, once; of another file in place of the script where needed.
void follow_stop(const FrameContext& context, ScriptPanelState& state, Commands& commands) {
  const StopView* stop = context.host.frames();
  if (stop == nullptr) {
    // While stepping, the shown file stays.
    if (state.shown_frame != 0 && context.host.left_stop() == nullptr) {
      state.shown_frame = 0;
      close_source(state.source);
    }
    return;
  }
  if (state.shown_frame == stop->place) return;
  state.shown_frame = stop->place;
  const auto* frame = stop->chosen();
  if (frame == nullptr || frame->line == 0) return;
  if (frame->path == state.path) {
    close_source(state.source);
    const std::uint32_t in_text = frame_line_in(context, state.path);
    if (in_text == 0) return;  // removed since: the toolbar says so
    const std::size_t line = in_text - 1;
    const bool seen = line > state.editor->GetFirstVisibleRow() && line + 1 < state.editor->GetLastVisibleRow();
    if (!seen && line < state.editor->GetLineCount()) state.editor->ScrollToLine(line);
  } else if (!frame->path.starts_with('<')) {
    show_source(state.source, frame->path, frame->line, commands);
  }
}

void show_mark(const FrameContext& context, ScriptPanelState& state) {
  auto wanted = context.other_script.empty() ? error_mark(context.host.outcome()) : std::nullopt;
  const std::uint32_t frame_line = frame_line_in(context, state.path);
  if (wanted == state.mark && frame_line == state.marked_line) return;
  const bool another = wanted != state.mark;
  state.mark = std::move(wanted);
  state.marked_line = frame_line;
  state.editor->ClearMarkers();
  if (frame_line != 0) mark_frame_line(*state.editor, frame_line, context.theme, context.host.frames()->frame == 0);
  if (!state.mark) return;
  const auto line = static_cast<std::size_t>(state.mark->line - 1);
  if (line >= state.editor->GetLineCount()) return;
  const ImVec4 bad = context.theme.bad;
  state.editor->AddMarker(line, ImGui::GetColorU32({bad.x, bad.y, bad.z, 0.30F}),
                          ImGui::GetColorU32({bad.x, bad.y, bad.z, 0.18F}), state.mark->message, state.mark->message);
  if (another) state.editor->ScrollToLine(line);
}

std::string file_description(const ScriptModel& script, const Keymap& keys) {
  if (script.path.empty()) return "Not saved in a file yet. " + keys_or_title(keys, ActionId::script_save) + " saves it.";
  std::string out = script.path;
  if (const std::string format = format_text(script.format); !format.empty()) out += "\n" + format;
  if (script.modified) out += "\nChanged since it was saved; Run takes the text as you see it.";
  return out;
}

std::string run_settings_text(const ScriptPanelState& state) {
  std::string out = state.arguments.empty()
                        ? "What the script gets as sys.argv[1:], the folder it runs in, and whether it runs as a module."
                        : "sys.argv[1:] of the next run: " + state.arguments;
  if (!state.working_folder.empty()) out += "\nRuns in " + state.working_folder;
  if (!state.module.empty()) out += "\nRuns as the module " + state.module;
  return out;
}

// The settings of this script's next run, behind a button because most scripts need none: arguments, folder, module.
void draw_run_settings(const ScriptModel& script, ScriptPanelState& state) {
  const std::string shown =
      state.arguments.empty() ? std::string() : shortened(state.arguments, kShownArguments) + "###arguments";
  const char* const label = shown.empty() ? "Arguments …###arguments" : shown.c_str();
  same_line_for(button_width(label));
  if (ImGui::Button(label)) ImGui::OpenPopup("arguments of the script");
  explain([&] { return run_settings_text(state); });
  if (!ImGui::BeginPopup("arguments of the script")) return;
  draw_text("sys.argv[1:] of the next run, as in a shell; kept for this script.");
  ImGui::SetNextItemWidth(ImGui::GetFontSize() * 28);
  if (ImGui::IsWindowAppearing()) ImGui::SetKeyboardFocusHere();
  if (ImGui::InputTextWithHint("##arguments", "--epochs 3 \"a file\"", &state.arguments, ImGuiInputTextFlags_EnterReturnsTrue))
    ImGui::CloseCurrentPopup();
  draw_text("Working folder; relative ones count from the script's own.");
  ImGui::SetNextItemWidth(ImGui::GetFontSize() * 28);
  if (ImGui::InputTextWithHint("##working folder", "where dlscope was started", &state.working_folder,
                               ImGuiInputTextFlags_EnterReturnsTrue))
    ImGui::CloseCurrentPopup();
  if (!script.path.empty()) {
    if (ImGui::Button("The script's folder")) state.working_folder = ".";
    draw_text("Module, when the file is a part of a package; its name counts from the working folder.");
    ImGui::SetNextItemWidth(ImGui::GetFontSize() * 28);
    if (ImGui::InputTextWithHint("##module", "package.train, as python -m has it", &state.module,
                                 ImGuiInputTextFlags_EnterReturnsTrue))
      ImGui::CloseCurrentPopup();
  }
  ImGui::EndPopup();
}

void show_place(const SourcePlace& place, ScriptPanelState& state, Commands& commands) {
  if (place.path == state.path) {
    close_source(state.source);
    state.reveal_line = place.line - 1;
  } else {
    show_source(state.source, place.path, place.line, commands);
  }
}

// While the script stands, and its text is no longer the one that was run.
const char* changed_text_line(const FrameContext& context, const std::string& path) {
  const StopView* const stop = context.host.stop();
  const auto* const frame = stop != nullptr ? stop->chosen() : nullptr;
  const bool gone = frame != nullptr && frame->path == path && frame->line != 0 && frame_line_in(context, path) == 0;
  if (gone) return "The text was changed since it was run. The line at which the script stands is no longer in it.";
  return "The text was changed since it was run: the script goes on as it was, and the stop's line numbers are those of that text.";
}

void draw_toolbar(const FrameContext& context, const ScriptModel& script, ScriptPanelState& state, Commands& commands) {
  draw_run_buttons(context, commands);
  const std::string title = script.title() + (script.modified ? " ●" : "");
  const float room = ImGui::GetWindowPos().x + ImGui::GetWindowWidth() - ImGui::GetItemRectMax().x - context.px(20);
  if (ImGui::CalcTextSize(title.c_str()).x < room) ImGui::SameLine(0, context.px(12));
  ImGui::AlignTextToFramePadding();
  draw_text(title, context.theme.dim);
  explain([&] { return file_description(script, context.keys); });
  if (context.moment.of_file && context.host.state() == HostState::absent)
    draw_wrapped_text(kNothingToRunWith, context.theme.dim);
  draw_run_settings(script, state);
  if (const auto place = draw_breakpoint_menu(context, state.path, commands)) show_place(*place, state, commands);
  if (state.mark) draw_wrapped_text(fmt::format("Line {}: {}", state.mark->line, state.mark->message), context.theme.bad);
  const bool of_this = context.other_script.empty();
  if (of_this && context.host.stop() != nullptr && state.run_revision != 0 && state.run_revision != state.revision)
    draw_wrapped_text(changed_text_line(context, state.path), context.theme.warn);
  const std::string& said = state.said.empty() ? script.said : state.said;
  if (!said.empty()) draw_wrapped_text(said, context.theme.dim);
}

// What another program did to the file, with buttons for what can be done.
void draw_disk_bar(const FrameContext& context, const ScriptModel& script, Commands& commands) {
  if (script.on_disk == OnDisk::gone) {
    draw_wrapped_text(script.title() + " is gone from the disk. Its text is still here; " +
                          keys_or_title(context.keys, ActionId::script_save) + " writes it again.",
                      context.theme.warn);
    return;
  }
  if (script.on_disk != OnDisk::changed) return;
  draw_wrapped_text(script.save_held
                        ? script.title() + " was not saved: another program changed it on disk, and saving would lose that."
                        : script.title() + " was changed on disk by another program, and here by you.",
                    context.theme.warn);
  if (ImGui::Button("Reload")) commands.push(command::ReloadScript{});
  explain("Shows what is on disk now. Ctrl+Z brings your text back.");
  ImGui::SameLine();
  if (ImGui::Button("Keep mine")) commands.push(command::KeepMine{});
  explain("Your text stays. Saving it replaces what is on disk.");
}

void comment(ScriptPanelState& state) {
  if (state.editor->GetNumberOfCursors() == 1)
    toggle_comment(*state.editor);
  else
    state.editor->ToggleComments();
}

// Keys and menu items that change the text; not while another file is shown in its place.
void handle_edit_actions(const FrameContext& context, ScriptPanelState& state) {
  if (state.source.open()) return;
  if (context.asked(ActionId::editor_comment)) comment(state);
  if (context.asked(ActionId::editor_line_up)) move_lines(*state.editor, MoveLines::up);
  if (context.asked(ActionId::editor_line_down)) move_lines(*state.editor, MoveLines::down);
}

// Keys that the editor would handle differently or not at all. Claimed before it sees them.
void handle_editor_keys(ScriptPanelState& state) {
  constexpr auto kFlags = ImGuiInputFlags_RouteGlobal | ImGuiInputFlags_RouteOverFocused;
  const auto pressed = [](ImGuiKeyChord chord) { return ImGui::Shortcut(chord, kFlags | ImGuiInputFlags_Repeat); };
  TextEditor& editor = *state.editor;
  // Tab inserts spaces where the text indents with spaces; existing, pasted and restored tabs stay tabs.
  const bool indents = ImGui::IsKeyPressed(ImGuiKey_Tab) || ImGui::IsKeyPressed(ImGuiKey_RightBracket);
  editor.SetInsertSpacesOnTabs(indents && state.indent[0] != '\t');
  editor.SetTabSize(state.indent[0] == '\t' ? 4 : state.indent.size());
  if (editor.GetNumberOfCursors() != 1) return;
  static_cast<void>(ImGui::Shortcut(ImGuiMod_Ctrl | ImGuiKey_Slash, kFlags));  // claimed for our action
  if (pressed(ImGuiKey_Enter) || pressed(ImGuiKey_KeypadEnter)) break_line(editor, state.indent);
  const bool in_indent = before_code(editor, state.indent);
  if (in_indent && pressed(ImGuiKey_Backspace)) take_back_indent(editor, state.indent);
}

void draw_editor(const FrameContext& context, ScriptPanelState& state, Commands& commands) {
  begin_gutter(context, state.path, state.gutter);
  ImGui::PushFont(context.fonts.mono, 0.0F);
  if (state.reveal_line) {
    go_to_line(*state.editor, *state.reveal_line);
    state.focus_editor = true;
    state.reveal_line.reset();
  }
  if (state.focus_editor) state.editor->SetFocus();
  state.focus_editor = false;
  state.editor->Render("##editor", ImGui::GetContentRegionAvail());
  ImGui::PopFont();
  end_gutter(context, state.gutter, commands);
}

// Keys and menu items that act on the cursor's line.
void handle_line_actions(const FrameContext& context, const ScriptPanelState& state, Commands& commands) {
  const bool toggles = context.asked(ActionId::breakpoint_toggle);
  if (!toggles && !context.asked(ActionId::debug_run_to_cursor)) return;
  const SourcePlace at = cursor_place(state);
  if (at.line == 0) return;
  if (toggles)
    commands.push(command::ToggleBreakpoint{at.path, at.line});
  else
    commands.push(command::RunToLine{at.path, at.line});
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
  name_text(state, script);
  follow_stop(context, state, commands);
  handle_line_actions(context, state, commands);
  if (context.asked(ActionId::editor_find) || context.asked(ActionId::editor_replace) || state.reveal_line)
    close_source(state.source);
  handle_find_actions(context, state, commands);
  handle_edit_actions(context, state);
  if (state.typing) handle_editor_keys(state);
  state.has_keyboard = state.typing = false;
  if (ImGui::Begin(title_of(ActionContext::script))) {
    show_mark(context, state);
    draw_toolbar(context, script, state, commands);
    draw_disk_bar(context, script, commands);
    const bool other = state.source.open();
    if (other) {
      draw_source(context, state.source, *state.editor, script.title(), commands);
    } else {
      draw_find_bar(context, state, commands);
      draw_editor(context, state, commands);
    }
    // Not in a menu of the panel: what is typed there does not concern the editor.
    state.has_keyboard = ImGui::IsWindowFocused(ImGuiFocusedFlags_ChildWindows | ImGuiFocusedFlags_NoPopupHierarchy);
    state.typing = !other && state.has_keyboard && !ImGui::IsWindowFocused();
  }
  ImGui::End();
  if (state.revision != state.seen_revision) {
    state.seen_revision = state.revision;
    state.edited = true;
    state.said.clear();
  }
  if (!state.line_edits.empty()) commands.push(command::MoveBreakpoints{state.path, std::exchange(state.line_edits, {})});
}

void note_run(ScriptPanelState& state, std::uint64_t text_revision) {
  state.run_text_revision = text_revision;
  state.run_revision = state.loaded_revision == text_revision ? state.revision : 0;
}

SourcePlace cursor_place(const ScriptPanelState& state) {
  if (state.source.open()) return {state.source.path, source_cursor_line(state.source)};
  return {state.path, state.editor ? static_cast<std::uint32_t>(cursor_line(state) + 1) : 0};
}

std::string editor_text(const ScriptPanelState& state) { return state.editor ? state.editor->GetText() : std::string(); }

std::shared_ptr<const std::string> current_text(ScriptPanelState& state) {
  if (!state.text || state.text_revision != state.revision) {
    state.text = std::make_shared<const std::string>(editor_text(state));
    state.text_revision = state.revision;
  }
  return state.text;
}

std::size_t cursor_line(const ScriptPanelState& state) { return state.editor ? state.editor->GetMainCursorPosition().line : 0; }

std::string selected_text(const ScriptPanelState& state) {
  return state.editor ? state.editor->GetSectionText(state.editor->GetMainCursorSelection()) : std::string();
}

void run_selection_or_statement(ScriptPanelState& state, Commands& commands) {
  if (!state.editor) return;
  command::RunText part = part_to_run(*state.editor);
  state.said = part.text.empty() ? "There is no statement on this line to run." : std::string();
  if (!part.text.empty()) commands.push(std::move(part));
}

}  // namespace dlscope::app
