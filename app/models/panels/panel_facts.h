// The panels, except for their drawing: titles, places in the layouts, their own actions and keys, their F1 help.
//
// To add a panel: an ActionContext (and an ActionId for each action of its own), a file here with its row, its place in
// panel_facts.cpp, and how it is drawn in app/panels/panel_table.cpp. The action that shows it, keys, menus, palette, help,
// docking and settings follow from these.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "app/models/actions/actions.h"
#include "app/models/actions/view_help.h"

namespace dlscope::app {

// The purpose of a place in the window. A layout gives each its own area; in a smaller window several share one.
enum class PanelHome : std::uint8_t { script, console, list, sharing, exchange, detail, inspector, stack, bottom, count };

// Keys of the panel that cannot be changed (arrows, the mouse), for the key sheet.
struct FixedKey {
  const char* keys = "";
  const char* meaning = "";
};

struct PanelFacts {
  ActionContext context{};
  const char* title = "";   // of its tab; also the ImGui id of its window
  const char* where = "";   // heading of its actions: "In the memory map"
  const char* action = "";  // the name of the action that shows it: "view.memory"
  PanelHome home{};
  bool at_first = true;   // whether a layout shows it from the start; false: it is shown when it has content
  const char* what = "";  // what it shows and how to read it
  std::span<const HelpTerm> terms = {};
  std::span<const Action> actions = {};  // its own actions; their context must be this panel
  std::span<const FixedKey> fixed_keys = {};
};

[[nodiscard]] std::span<const PanelFacts* const> panels();        // in the order of their tabs where several share a place
[[nodiscard]] const PanelFacts* panel_of(ActionContext context);  // null: for `global`
[[nodiscard]] const PanelFacts* panel_titled(std::string_view title);
[[nodiscard]] const char* title_of(ActionContext panel);  // not of `global`

// Shows exactly the panels that a layout shows from the start.
void show_panels_at_first(ViewSwitches& show);

}  // namespace dlscope::app
