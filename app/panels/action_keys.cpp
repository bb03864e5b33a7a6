#include "app/panels/action_keys.h"

#include <imgui_internal.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include "app/models/panels/panel_facts.h"
#include "app/widgets/keys.h"

namespace dlscope::app {
namespace {

const PanelFacts* panel_in(const ImGuiWindow* window) {
  return window == nullptr ? nullptr : panel_titled(window->RootWindow->Name);
}

ActionContext context_of(const ImGuiWindow* window) {
  const PanelFacts* panel = panel_in(window);
  return panel != nullptr ? panel->context : ActionContext::global;
}

// True when a sheet (file browser, palette) has the keyboard: it gets the plain keys.
bool in_a_sheet() {
  const ImGuiWindow* window = ImGui::GetCurrentContext()->NavWindow;
  if (window == nullptr || panel_in(window) != nullptr) return false;
  const ImGuiWindow* root = window->RootWindow;
  return !root->DockIsActive && !std::string_view(root->Name).starts_with("##");
}

void read_context(const FrameContext& context, ActionContext where, bool plain_keys, bool other_keys, AskedActions& asked,
                  std::vector<KeyChord>& used) {
  const ViewSwitches none;
  const ActionState state = action_state(context, none);
  for (const Action& row : actions()) {
    if (row.context != where) continue;
    if (row.alternates_with != ActionId::count && refusal_of(row, state) != nullptr) continue;
    for (const KeyChord& chord : context.keys.chords(row.id)) {
      if (!(chord.means_text() ? plain_keys : other_keys)) continue;
      if (std::ranges::find(used, chord) != used.end() || !chord_pressed(chord, row.repeats)) continue;
      used.push_back(chord);
      asked.ask_now(row.id);
      break;
    }
  }
}

// A hidden panel, or one behind another tab, comes to the front; the one in front with the keyboard is hidden.
void switch_panel(ActionContext which, ViewSwitches& show) {
  bool& shown = show[which];
  shown = !shown || context_of(ImGui::GetCurrentContext()->NavWindow) != which;
  if (shown) ImGui::SetWindowFocus(title_of(which));
}

void show_panel_of(ActionContext where, ViewSwitches& show) {
  if (where == ActionContext::global || keyboard_context() == where || mouse_context() == where) return;
  show[where] = true;
  ImGui::SetWindowFocus(title_of(where));
}

}  // namespace

ActionState action_state(const FrameContext& context, const ViewSwitches& show) {
  return {.host = context.host,
          .show = show,
          .has_tensors = context.has_tensors(),
          .of_file = !context.file.empty(),
          .moment = context.moment,
          .earlier_moment = context.history.earlier,
          .later_moment = context.history.later,
          .has_selection = context.selected != core::kNone32,
          .remembered = context.remembered(context.selected),
          .has_bytes_then = context.selected != core::kNone32 && context.state_of(context.selected) == TensorState::remembered,
          .has_pin = context.pinned.on_tensor(),
          .has_breakpoints = !context.breakpoints.all().empty(),
          .stop_on_raise = context.stop_on_raise,
          .stop_on_uncaught = context.stop_on_uncaught,
          .scale = context.scale,
          .theme = context.theme.choice,
          .layout = context.layout};
}

ActionContext keyboard_context() { return context_of(ImGui::GetCurrentContext()->NavWindow); }
ActionContext mouse_context() { return context_of(ImGui::GetCurrentContext()->HoveredWindow); }

const char* panel_title(ActionContext context) {
  return context == ActionContext::global ? "dlscope" : title_of(context);
}

void read_keys(const FrameContext& context, bool typing, AskedActions& asked) {
  const bool plain = !typing && !in_a_sheet();
  const ActionContext focused = keyboard_context(), hovered = mouse_context();
  std::vector<KeyChord> used;
  if (focused == ActionContext::output) used.push_back({.key = Key::f, .ctrl = true});  // it finds in the output
  // The panel under the mouse comes first: a single key is meant for what the mouse is on.
  if (hovered != ActionContext::global) read_context(context, hovered, plain, false, asked, used);
  if (focused != ActionContext::global) read_context(context, focused, plain, true, asked, used);
  read_context(context, ActionContext::global, plain, true, asked, used);
}

void perform(const FrameContext& context, AskedActions& asked, ViewSwitches& show, Commands& commands) {
  if (!asked.any()) return;
  const ActionState state = action_state(context, show);
  for (const Action& row : actions()) {
    if (!asked.asked(row.id)) continue;
    if (refusal_of(row, state) != nullptr) {
      asked.drop(row.id);
      continue;
    }
    push_command(row, state, commands);
    if (row.shows != nullptr) show.*row.shows = !(show.*row.shows);
    if (row.shows_panel != ActionContext::global) switch_panel(row.shows_panel, show);
    show_panel_of(row.context, show);
  }
}

}  // namespace dlscope::app
