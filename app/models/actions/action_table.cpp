// Joins the rows of all actions: those of the menus, those that show the panels, and the panels' own.
#include <algorithm>
#include <array>

#include "app/models/actions/action_rows.h"
#include "app/models/panels/panel_facts.h"

namespace dlscope::app {
namespace {

Action that_shows(const PanelFacts& panel) {
  return {.id = show_panel(panel.context),
          .name = panel.action,
          .title = panel.title,
          .menu = ActionMenu::view,
          .shows_panel = panel.context};
}

std::array<Action, kActionCount> all_rows() {
  std::array<Action, kActionCount> rows;
  auto end = rows.begin();
  const auto add = [&](std::span<const Action> more) { end = std::ranges::copy(more, end).out; };
  add(file_actions());
  add(run_actions());
  for (const PanelFacts* panel : panels()) *end++ = that_shows(*panel);
  add(view_actions());
  for (const PanelFacts* panel : panels()) {
    for (Action own : panel->actions) {
      own.context = panel->context;
      *end++ = own;
    }
  }
  return rows;
}

}  // namespace

std::span<const Action> actions() {
  static const auto kRows = all_rows();
  return kRows;
}

}  // namespace dlscope::app
