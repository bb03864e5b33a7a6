// The panels as everything but their drawing knows them: what they are called, where they stand in the layouts, what F1 says.
//
// To add one: an ActionContext, its action and switch, a row in panel_facts.cpp, and how it is drawn in app/panels/panel_table.cpp.
// Keys, menus, palette, help, docking and settings follow from the rows.
#pragma once

#include <span>
#include <string_view>

#include "app/models/actions/actions.h"
#include "app/models/actions/view_help.h"

namespace dlscope::app {

// What a place in the window is for. A layout gives each a place of its own or, in a smaller window, joins several.
enum class PanelHome : std::uint8_t { script, console, list, sharing, detail, inspector, stack, bottom, count };

struct PanelFacts {
  ActionContext context{};
  const char* title = "";  // of its tab; also the id of its window
  const char* where = "";  // over its actions: "In the memory map"
  ActionId show{};
  bool ViewSwitches::*shown = nullptr;
  PanelHome home{};
  const char* what = "";  // what it shows and how to read it
  std::span<const HelpTerm> terms;
};

[[nodiscard]] std::span<const PanelFacts> panels();
[[nodiscard]] const PanelFacts* panel_of(ActionContext context);            // null: `global`
[[nodiscard]] const PanelFacts* panel_shown_by(bool ViewSwitches::*shown);  // null: a sheet's
[[nodiscard]] const PanelFacts* panel_titled(std::string_view title);

}  // namespace dlscope::app
