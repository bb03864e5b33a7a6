#include "app/panels/menu_bar.h"

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>

#include "app/panels/action_keys.h"
#include "app/widgets/marks.h"

namespace dlscope::app {
namespace {

constexpr ActionMenu kMenus[] = {ActionMenu::file, ActionMenu::edit,   ActionMenu::run,
                                 ActionMenu::view, ActionMenu::layout, ActionMenu::help};

void menu_item(const FrameContext& context, const Action& row, const ActionState& state, AskedActions& asked) {
  const char* refusal = refusal_of(row, state);
  const bool ticked = row.checked != nullptr && row.checked(state);
  if (ImGui::MenuItem(row.title, context.keys.first(row.id).c_str(), ticked, refusal == nullptr)) asked.ask_now(row.id);
  explain(refusal != nullptr ? refusal : row.meaning);
}

void draw_menu(const FrameContext& context, ActionMenu menu, const ActionState& state, AskedActions& asked) {
  const auto rows = actions();
  if (std::ranges::none_of(rows, [&](const Action& row) { return row.menu == menu; })) return;
  if (!ImGui::BeginMenu(menu_title(menu))) return;
  for (const Action& row : rows) {
    if (row.menu != menu) continue;
    if (row.separated) ImGui::Separator();
    menu_item(context, row, state, asked);
  }
  ImGui::EndMenu();
}

ImVec4 state_colour(const FrameContext& context) {
  switch (context.host.state) {
    case HostState::idle:
      return context.theme.good;
    case HostState::running:
    case HostState::scanning:
    case HostState::stopping:
      return context.theme.accent;
    case HostState::crashed:
    case HostState::failed:
      return context.theme.bad;
    case HostState::ended:
      return context.theme.warn;
    default:
      return context.theme.dim;
  }
}

void draw_state(const FrameContext& context) {
  const HostStatus& host = context.host;
  const std::string state = fmt::format("● {}", host_state_word(host.state));
  const float gap = ImGui::GetStyle().ItemSpacing.x * 2;
  const float width = ImGui::CalcTextSize(state.c_str()).x + ImGui::CalcTextSize(host.python.c_str()).x + gap * 2;
  const float left = ImGui::GetWindowWidth() - width;
  if (left < ImGui::GetCursorPosX()) return;
  ImGui::SetCursorPosX(left);
  words(state, state_colour(context));
  explain(host.detail);
  ImGui::SameLine(0, gap);
  words(host.python, context.theme.text);
  if (!host.executable.empty()) explain(host.executable + "\nAnother one: start dlscope with --python PATH.");
}

}  // namespace

void draw_menu_bar(const FrameContext& context, const MenuBarState& state, AskedActions& asked) {
  if (!ImGui::BeginMainMenuBar()) return;
  const ActionState now = action_state(context, state.show);
  for (const ActionMenu menu : kMenus) draw_menu(context, menu, now, asked);
  draw_state(context);
  ImGui::EndMainMenuBar();
}

}  // namespace dlscope::app
