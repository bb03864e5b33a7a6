#include "app/models/actions/actions.h"

#include <array>

#include "app/models/panels/panel_facts.h"

namespace dlscope::app {
namespace {

std::array<const Action*, kActionCount> by_id() {
  std::array<const Action*, kActionCount> out{};
  for (const Action& row : actions()) out[static_cast<std::size_t>(row.id)] = &row;
  return out;
}

}  // namespace

const Action& action(ActionId id) {
  static const auto kById = by_id();
  return *kById[static_cast<std::size_t>(id)];
}

std::optional<ActionId> action_named(std::string_view name) {
  for (const Action& row : actions()) {
    if (name == row.name) return row.id;
  }
  return std::nullopt;
}

void push_command(const Action& action, const ActionState& state, Commands& commands) {
  if (action.command != nullptr) commands.push(action.command(state));
}

bool is_ticked(const Action& action, const ActionState& state) {
  if (action.shows_panel != ActionContext::global) return state.show[action.shows_panel];
  return action.checked != nullptr && action.checked(state);
}

const char* refusal_of(const Action& action, const ActionState& state) {
  return action.refusal != nullptr ? action.refusal(state) : nullptr;
}

const char* context_title(ActionContext context) {
  const PanelFacts* panel = panel_of(context);
  return panel != nullptr ? panel->where : "Everywhere";
}

const char* menu_title(ActionMenu menu) {
  switch (menu) {
    case ActionMenu::file:
      return "File";
    case ActionMenu::edit:
      return "Edit";
    case ActionMenu::run:
      return "Run";
    case ActionMenu::view:
      return "View";
    case ActionMenu::layout:
      return "Layout";
    case ActionMenu::help:
      return "Help";
    case ActionMenu::none:
      break;
  }
  return "";
}

}  // namespace dlscope::app
