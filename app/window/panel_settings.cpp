#include "app/window/panel_settings.h"

#include <string>

#include "app/models/panels/panel_facts.h"
#include "app/panels/dock_layouts.h"
#include "app/panels/stored_fronts.h"

namespace dlscope::app {
namespace {

std::string& arrangement_of(Settings& settings, LayoutPreset layout) {
  return settings.arrangements[static_cast<std::size_t>(layout)];
}

std::string checked_arrangement() {
  std::string text = arrangement_text();
  return is_arrangement(text) ? text : std::string();
}

}  // namespace

void apply_settings(const Settings& settings, Keymap& keys, PanelStates& panels, Notices& notices) {
  std::string foreign;
  for (const auto& [name, text] : settings.keys) {
    const auto id = action_named(name);
    const auto chords = parse_chords(text);
    if (id && chords)
      keys.bind(*id, *chords);
    else
      foreign += (foreign.empty() ? "" : ", ") + name;
  }
  if (!foreign.empty()) notices.add(Tone::warn, "Unknown keys in the settings were ignored: " + foreign + ".");
  for (const KeyConflict& conflict : keys.conflicts()) notices.add(Tone::warn, conflict_text(conflict));
  for (auto name = settings.recent_actions.rbegin(); name != settings.recent_actions.rend(); ++name) {
    if (const auto id = action_named(*name)) panels.palette.recent.used(*id);
  }
  panels.tensors.chosen = columns_titled(settings.columns);
  panels.tensors.widths.by_hand = widths_titled(settings.column_widths);
  panels.inspector.folded = settings.folded;
  panels.inspector.show_meanings = settings.show_meanings;
  panels.stack.options = {.stop_others = settings.stop_others, .library_code = settings.library_code};
}

void apply_arrangement(const Settings& settings, PanelStates& panels) {
  if (!panels.arrange) return;
  const std::string& stored = settings.arrangements[static_cast<std::size_t>(*panels.arrange)];
  panels.arranged_by_hand = !stored.empty();
  if (stored.empty()) return;
  panels.arrange.reset();
  load_arrangement(stored);
  panels.settling = kSettlingFrames;
  for (const PanelFacts* panel : app::panels()) {
    const auto found = settings.panels.find(panel->action);
    // A panel that is newer than the stored arrangement is not in it: it stays closed.
    panels.menu.show[panel->context] = found != settings.panels.end() && found->second;
  }
}

void read_settings(const PanelStates& panels, LayoutPreset layout, Settings& settings) {
  if (arrangement_changed() && !panels.arrange && panels.arranged_by_hand)
    arrangement_of(settings, layout) = checked_arrangement();
  settings.recent_actions.clear();
  for (const ActionId id : panels.palette.recent.all()) settings.recent_actions.emplace_back(action(id).name);
  for (const PanelFacts* panel : app::panels()) settings.panels[panel->action] = panels.menu.show[panel->context];
  if (const ColumnSet& chosen = panels.tensors.chosen; chosen != columns_titled(settings.columns))
    settings.columns = column_titles(chosen);
  settings.column_widths = titled_widths(panels.tensors.widths.by_hand);
  settings.folded = panels.inspector.folded;
  settings.show_meanings = panels.inspector.show_meanings;
}

void switch_layout(LayoutPreset from, LayoutPreset to, PanelStates& panels, Settings& settings) {
  // Choosing the current layout again resets it to the default.
  arrangement_of(settings, from) = to != from && panels.arranged_by_hand ? checked_arrangement() : std::string();
  settings.layout = to;
  panels.arrange = to;
}

void note_window(const WindowPlace& place, LayoutPreset layout, const PanelStates& panels, Settings& settings) {
  settings.window = place;
  if (panels.arranged_by_hand && !panels.arrange) arrangement_of(settings, layout) = checked_arrangement();
}

void rebind(const command::Rebind& change, Keymap& keys, Settings& settings) {
  if (change.chords)
    keys.bind(change.action, *change.chords);
  else
    keys.reset(change.action);
  const std::string name = action(change.action).name;
  if (keys.changed(change.action))
    settings.keys[name] = keys.text(change.action);
  else
    settings.keys.erase(name);
}

}  // namespace dlscope::app
