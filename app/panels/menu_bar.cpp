#include "app/panels/menu_bar.h"

#include <imgui.h>

#include <algorithm>
#include <string>
#include <string_view>

#include "app/models/actions/palette_model.h"
#include "app/models/host/suspension_text.h"
#include "app/panels/action_keys.h"
#include "app/widgets/line_text.h"
#include "app/widgets/marks.h"

namespace dlscope::app {
namespace {

constexpr ActionMenu kMenus[] = {ActionMenu::file, ActionMenu::edit,   ActionMenu::run,
                                 ActionMenu::view, ActionMenu::layout, ActionMenu::help};
constexpr std::size_t kMaxPathLength = 90;  // characters of a path in the menu

void menu_item(const FrameContext& context, const Action& row, const ActionState& state, AskedActions& asked) {
  const char* refusal = refusal_of(row, state);
  const bool ticked = is_ticked(row, state);
  if (ImGui::MenuItem(row.title, context.keys.first(row.id).c_str(), ticked, refusal == nullptr)) asked.ask_now(row.id);
  explain(refusal != nullptr ? refusal : row.meaning);
}

// The files of the script panel, newest first. Below the two actions that open something.
void draw_open_recent(const FrameContext& context, Commands& commands) {
  if (!ImGui::BeginMenu(kOpenRecent, !context.recent_files.empty())) {
    if (context.recent_files.empty()) explain("No file was opened yet.");
    return;
  }
  for (std::size_t i = 0; i < context.recent_files.size(); ++i) {
    const std::string& path = context.recent_files[i];
    const CutText text = cut_in_middle(path, kMaxPathLength);
    ImGui::PushID(static_cast<int>(i));
    // The path is drawn over the item: as its label it would end at a "##".
    if (ImGui::Selectable("##recent")) commands.push(command::OpenScript{path});
    if (text.cut) explain(path);
    ImGui::SameLine(0, 0);
    draw_text(text, context.theme.text);
    ImGui::PopID();
  }
  ImGui::EndMenu();
}

void draw_menu(const FrameContext& context, ActionMenu menu, const ActionState& state, AskedActions& asked, Commands& commands) {
  const auto rows = actions();
  if (std::ranges::none_of(rows, [&](const Action& row) { return row.menu == menu; })) return;
  if (!ImGui::BeginMenu(menu_title(menu))) return;
  for (const Action& row : rows) {
    if (row.menu != menu) continue;
    if (row.separated) ImGui::Separator();
    menu_item(context, row, state, asked);
    if (row.id == ActionId::tensors_open) draw_open_recent(context, commands);
  }
  ImGui::EndMenu();
}

ImVec4 state_colour(const FrameContext& context) {
  if (!context.host.suspension().empty()) return context.theme.warn;
  switch (context.host.state()) {
    case HostState::idle:
      return context.theme.good;
    case HostState::running:
    case HostState::scanning:
    case HostState::acting:
    case HostState::stopping:
      return context.theme.accent;
    case HostState::crashed:
    case HostState::failed:
      return context.theme.bad;
    case HostState::ended:
    case HostState::stopped:
      return context.theme.warn;
    default:
      return context.theme.dim;
  }
}

// A button of the menu bar; grey, with the reason, when it is not possible now.
void bar_button(const FrameContext& context, const char* label, ActionId id, const ActionState& now, AskedActions& asked) {
  const char* refusal = refusal_of(action(id), now);
  if (ImGui::MenuItem(LineText("{} {}##bar", label, context.keys.first(id)).c_str(), nullptr, false, refusal == nullptr))
    asked.ask_now(id);
  explain([&] { return hint_while_suspended(context.host, refusal != nullptr ? refusal : action(id).meaning); });
}

float item_width(std::string_view text) {
  return text.empty() ? 0 : text_width(text) + ImGui::GetStyle().ItemSpacing.x * 2;
}

// At the right end: Run and Stop, the state, Python, libraries; buttons and libraries only when there is room.
void draw_state(const FrameContext& context, const ActionState& now, AskedActions& asked) {
  const HostSession& host = context.host;
  const bool asks = host.state() == HostState::running && host.waits_for_line();
  const LineText state("● {}", !host.suspension().empty() ? kSuspendedWord
                               : asks                   ? "waits for input"
                                                        : host_state_word(host.state()));
  const std::string_view python =
      host.python().empty() && host.state() != HostState::absent ? std::string_view("Choose Python …") : host.python();
  const float room = ImGui::GetWindowWidth() - ImGui::GetCursorPosX();
  const bool stands = host.stop() != nullptr;
  const ActionId go = stands ? ActionId::debug_continue : ActionId::run_script;
  const char* go_label = stands ? "▶ Continue" : "▶ Run";
  const float buttons = item_width(LineText("{} {}", go_label, context.keys.first(go))) +
                        item_width(LineText("■ Stop {}", context.keys.first(ActionId::run_stop)));
  const float least = item_width(state) + item_width(python);
  const bool with_buttons = host.state() != HostState::absent && room > least + buttons;
  const bool with_libraries = room > least + buttons + item_width(host.libraries());
  const float width = least + (with_buttons ? buttons : 0) + (with_libraries ? item_width(host.libraries()) : 0);
  if (room < width) return;
  ImGui::SetCursorPosX(ImGui::GetWindowWidth() - width);
  if (with_buttons) {
    bar_button(context, go_label, go, now, asked);
    bar_button(context, "■ Stop", ActionId::run_stop, now, asked);
  }
  draw_text(state, state_colour(context));
  explain(!host.suspension().empty() ? host.suspension() : host.act().empty() ? host.detail() : host.act());
  if (!python.empty()) {
    if (ImGui::MenuItem(LineText("{}##python", python).c_str())) asked.ask_now(ActionId::python_choose);
    explain(
        [&] { return (host.executable().empty() ? std::string() : host.executable() + "\n") + "A click chooses another one."; });
  }
  if (with_libraries) draw_text(host.libraries(), context.theme.dim);
}

}  // namespace

void draw_menu_bar(const FrameContext& context, const MenuBarState& state, AskedActions& asked, Commands& commands) {
  if (!ImGui::BeginMainMenuBar()) return;
  const ActionState now = action_state(context, state.show);
  for (const ActionMenu menu : kMenus) draw_menu(context, menu, now, asked, commands);
  draw_state(context, now, asked);
  ImGui::EndMainMenuBar();
}

}  // namespace dlscope::app
