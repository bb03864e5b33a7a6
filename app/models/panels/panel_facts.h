// The panels as everything but their drawing knows them: what they are called, where they stand in the layouts, their own actions and
// keys, what F1 says.
//
// To add one: an ActionContext (and an ActionId for each action of its own), a file here with its row, its place in panel_facts.cpp, and
// how it is drawn in app/panels/panel_table.cpp. The action that shows it, keys, menus, palette, help, docking and settings follow.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "app/models/actions/actions.h"
#include "app/models/actions/view_help.h"

namespace dlscope::app {

// What a place in the window is for. A layout gives each a place of its own or, in a smaller window, joins several.
enum class PanelHome : std::uint8_t { script, console, list, sharing, exchange, detail, inspector, stack, bottom, count };

// Keys that a panel handles itself and that cannot be changed: arrows, the mouse. For the sheet of keys.
struct FixedKey {
  const char* keys = "";
  const char* meaning = "";
};

struct PanelFacts {
  ActionContext context{};
  const char* title = "";   // of its tab; also the id of its window
  const char* where = "";   // over its actions: "In the memory map"
  const char* action = "";  // the name of the action that shows it: "view.memory"
  PanelHome home{};
  bool at_first = true;   // shown by a layout; false: when there is something for it
  const char* what = "";  // what it shows and how to read it
  std::span<const HelpTerm> terms = {};
  std::span<const Action> actions = {};  // its own: their context is this one's
  std::span<const FixedKey> fixed_keys = {};
};

[[nodiscard]] std::span<const PanelFacts* const> panels();        // in the order of their tabs where several share a place
[[nodiscard]] const PanelFacts* panel_of(ActionContext context);  // null: `global`
[[nodiscard]] const PanelFacts* panel_titled(std::string_view title);
[[nodiscard]] const char* title_of(ActionContext panel);  // not of `global`

// Those that a layout shows, and no other.
void show_panels_at_first(ViewSwitches& show);

}  // namespace dlscope::app
