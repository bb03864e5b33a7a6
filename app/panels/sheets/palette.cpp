#include "app/panels/sheets/palette.h"

#include <imgui_internal.h>
#include <misc/cpp/imgui_stdlib.h>

#include <algorithm>

#include "app/models/panels/panel_facts.h"
#include "app/models/text/address_text.h"
#include "app/models/text/fitted_text.h"
#include "app/models/text/no_matches.h"
#include "app/panels/action_keys.h"
#include "app/widgets/line_text.h"
#include "app/widgets/marks.h"

namespace dlscope::app {
namespace {

constexpr const char* kWindow = "Palette###palette";
constexpr int kLinesShown = 14;

void ask_again(const FrameContext& context, PaletteState& state, Commands& commands) {
  const bool for_actions = state.looks == PaletteState::Looks::for_actions;
  state.actions = for_actions ? palette_actions(state.query, state.recent) : std::vector<ActionId>{};
  state.files = for_actions ? palette_files(state.query, context.recent_files) : std::vector<std::string>{};
  state.picked = 0;
  state.moved = true;
  if (context.has_tensors()) commands.push(command::FindPlaces{state.query});
}

// Lines are numbered actions first, then recent files, then places.
int line_count(const PaletteState& state) {
  return static_cast<int>(state.actions.size() + state.files.size() + (state.places ? state.places->places.size() : 0));
}

const std::string* file_at(const PaletteState& state, int line) {
  const auto first = static_cast<int>(state.actions.size()), last = first + static_cast<int>(state.files.size());
  return line < first || line >= last ? nullptr : &state.files[static_cast<std::size_t>(line - first)];
}

const FoundPlace* place_at(const PaletteState& state, int line) {
  const auto first = static_cast<int>(state.actions.size() + state.files.size());
  if (!state.places || line < first || line >= line_count(state)) return nullptr;
  return &state.places->places[static_cast<std::size_t>(line - first)];
}

// True when something was chosen and the palette can close.
bool take(const FrameContext& context, PaletteState& state, const ActionState& now, int line, AskedActions& asked,
          Commands& commands) {
  if (const FoundPlace* place = place_at(state, line)) {
    // Places of an older snapshot are being searched again.
    if (state.places->index.get() != context.index) return false;
    commands.push(command::SelectTensor{place->tensor});
    if (place->focus.element) commands.push(command::Pin{place->focus});
    return true;
  }
  if (const std::string* path = file_at(state, line)) {
    commands.push(command::OpenScript{*path});
    return true;
  }
  if (line < 0 || line >= static_cast<int>(state.actions.size())) return false;
  const ActionId id = state.actions[static_cast<std::size_t>(line)];
  if (refusal_of(action(id), now) != nullptr) return false;
  state.recent.used(id);
  // A panel that is found here is wanted in view: the action itself would hide the one that has the keyboard.
  const ActionContext panel = action(id).shows_panel;
  if (panel != ActionContext::global && now.show[panel])
    ImGui::SetWindowFocus(title_of(panel));
  else
    asked.ask_next(id);
  return true;
}

// ImGui itself would give it to the window that was made last, which may be a panel that nobody has looked at yet.
void give_keyboard_back(ImGuiID had_it) {
  ImGuiWindow* const window = ImGui::FindWindowByID(had_it);
  if (window != nullptr && window->WasActive) ImGui::FocusWindow(window);
}

void draw_action(const FrameContext& context, const ActionState& now, ActionId id) {
  const Action& row = action(id);
  const char* refusal = refusal_of(row, now);
  const bool ticked = is_ticked(row, now);
  const std::string& keys = context.keys.text(id);
  draw_text((ticked ? "✓ " : "") + palette_title(row), refusal != nullptr ? context.theme.dim : context.theme.text);
  const std::string_view right = refusal != nullptr ? std::string_view(refusal) : std::string_view(keys);
  if (right.empty()) return;
  const float width = text_width(right);
  ImGui::SameLine();
  ImGui::SetCursorPosX(ImGui::GetCursorPosX() + std::max(0.0F, ImGui::GetContentRegionAvail().x - width));
  draw_text(right, refusal != nullptr ? context.theme.warn : context.theme.accent);
}

void draw_place(const FrameContext& context, const FoundPlace& place) {
  draw_text("go to ", context.theme.dim);
  ImGui::SameLine(0, 0);
  draw_text(place.message);
}

void draw_file(const FrameContext& context, const std::string& path) {
  draw_text(LineText("{}: ", kOpenRecent), context.theme.dim);
  ImGui::SameLine(0, 0);
  draw_text(fit_text(path, ImGui::GetContentRegionAvail().x, text_width), context.theme.text);
}

void move_by_keys(PaletteState& state, int lines) {
  if (lines == 0) return;
  const auto step = [&](ImGuiKey key, int by) {
    if (!ImGui::IsKeyPressed(key)) return;
    state.picked = std::abs(by) == 1 ? (state.picked + by + lines) % lines : std::clamp(state.picked + by, 0, lines - 1);
    state.moved = true;
  };
  step(ImGuiKey_DownArrow, 1);
  step(ImGuiKey_UpArrow, -1);
  step(ImGuiKey_PageDown, kLinesShown);
  step(ImGuiKey_PageUp, -kLinesShown);
}

// The line that was clicked; -1: none.
int draw_lines(const FrameContext& context, PaletteState& state, const ActionState& now) {
  int clicked = -1;
  ImGuiListClipper clipper;
  clipper.Begin(line_count(state));
  if (state.moved && state.picked < line_count(state)) clipper.IncludeItemByIndex(state.picked);
  while (clipper.Step()) {
    for (int line = clipper.DisplayStart; line < clipper.DisplayEnd; ++line) {
      ImGui::PushID(line);
      if (ImGui::Selectable("##line", line == state.picked, ImGuiSelectableFlags_AllowOverlap)) clicked = line;
      if (line == state.picked && state.moved) ImGui::ScrollToItem(ImGuiScrollFlags_KeepVisibleEdgeY);
      ImGui::SameLine(0, context.px(6));
      if (const FoundPlace* place = place_at(state, line))
        draw_place(context, *place);
      else if (const std::string* path = file_at(state, line))
        draw_file(context, *path);
      else
        draw_action(context, now, state.actions[static_cast<std::size_t>(line)]);
      ImGui::PopID();
    }
  }
  state.moved = false;
  if (state.places && state.places->more) draw_text("There are more; type more of the name.", context.theme.dim);
  const bool is_value = state.places && trimmed(state.query).starts_with('=');
  if (line_count(state) == 0)
    draw_text(is_value ? "“= value” is for “Go to” in the Values, which searches the selected tensor." : kNoMatches, context.theme.dim);
  return clicked;
}

// Keeps the arrow keys from the field, because they move through the lines.
int keep_arrows(ImGuiInputTextCallbackData*) { return 0; }

}  // namespace

void show_palette(PaletteState& state, PaletteState::Looks looks) {
  const ImGuiWindow* const keyboard = ImGui::GetCurrentContext()->NavWindow;
  if (state.looks == PaletteState::Looks::nowhere) state.had_keyboard = keyboard != nullptr ? keyboard->ID : 0;
  state.looks = looks;
  state.query.clear();
  state.actions.clear();
  state.files.clear();
  state.places.reset();
  state.opened = true;
}

void draw_palette(const FrameContext& context, PaletteState& state, const ViewSwitches& show, AskedActions& asked,
                  Commands& commands) {
  if (state.looks == PaletteState::Looks::nowhere) return;
  const ImGuiViewport* viewport = ImGui::GetMainViewport();
  const float width = std::min(ImGui::GetFontSize() * 44, viewport->WorkSize.x * 0.92F);
  ImGui::SetNextWindowPos({viewport->WorkPos.x + viewport->WorkSize.x * 0.5F, viewport->WorkPos.y + context.px(8)},
                          ImGuiCond_Always, {0.5F, 0});
  ImGui::SetNextWindowSize({width, 0});
  if (state.opened) ImGui::SetNextWindowFocus();
  constexpr auto kFlags = ImGuiWindowFlags_NoTitleBar | ImGuiWindowFlags_NoResize | ImGuiWindowFlags_NoMove |
                          ImGuiWindowFlags_NoDocking | ImGuiWindowFlags_NoSavedSettings;
  bool done = false;
  if (ImGui::Begin(kWindow, nullptr, kFlags)) {
    if (state.opened) ImGui::SetKeyboardFocusHere();
    ImGui::SetNextItemWidth(-1);
    const bool for_places = state.looks == PaletteState::Looks::for_places;
    const char* hint = for_places ? "Go to: a name, name[1, 2], [1, 2] in the selected tensor, or an address 0x…"
                                  : "An action, a recent file, or the name of a tensor";
    const bool changed =
        ImGui::InputTextWithHint("##query", hint, &state.query, ImGuiInputTextFlags_CallbackHistory, keep_arrows);
    const bool typing = ImGui::IsItemActive();
    if (changed || state.opened) ask_again(context, state, commands);
    const ActionState now = action_state(context, show);
    const int lines = line_count(state);
    move_by_keys(state, lines);
    state.picked = std::clamp(state.picked, 0, std::max(0, lines - 1));
    const float height = ImGui::GetTextLineHeightWithSpacing() * static_cast<float>(std::clamp(lines, 1, kLinesShown)) +
                         ImGui::GetStyle().WindowPadding.y;
    int chosen = -1;
    if (ImGui::BeginChild("lines", {0, std::min(height, viewport->WorkSize.y * 0.7F)}, ImGuiChildFlags_None,
                          ImGuiWindowFlags_NoNav))
      chosen = draw_lines(context, state, now);
    ImGui::EndChild();
    if (typing || ImGui::IsWindowFocused(ImGuiFocusedFlags_ChildWindows)) {
      if (ImGui::IsKeyPressed(ImGuiKey_Enter, false) || ImGui::IsKeyPressed(ImGuiKey_KeypadEnter, false)) chosen = state.picked;
      if (ImGui::IsKeyPressed(ImGuiKey_Escape, false)) done = true;
    }
    if (chosen >= 0) done = take(context, state, now, chosen, asked, commands) || done;
    const bool left = !state.opened && !ImGui::IsWindowFocused(ImGuiFocusedFlags_ChildWindows);
    if (done && !left) give_keyboard_back(state.had_keyboard);
    done = done || left;
    state.opened = false;
  }
  ImGui::End();
  if (done) state.looks = PaletteState::Looks::nowhere;
}

}  // namespace dlscope::app
