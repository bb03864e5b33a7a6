// The application and what outlives it: settings taken up at the start, changed by commands, written by the worker.
#include <algorithm>
#include <filesystem>
#include <utility>

#include "app/models/actions/keymap.h"
#include "app/panels/dock_layouts.h"
#include "app/window/application.h"
#include "app/window/application_jobs.h"

namespace dlscope::app {
namespace {

void put_first(std::vector<std::string>& list, const std::string& entry) {
  std::erase(list, entry);
  list.insert(list.begin(), entry);
  if (list.size() > kMostRecentFiles) list.resize(kMostRecentFiles);
}

std::string checked_arrangement() {
  std::string text = arrangement_text();
  return is_arrangement(text) ? text : std::string();
}

}  // namespace

void Application::take_up_settings() {
  std::string foreign;
  for (const auto& [name, text] : settings_.keys) {
    const auto id = action_named(name);
    const auto chords = parse_chords(text);
    if (id && chords)
      keys_.bind(*id, *chords);
    else
      foreign += (foreign.empty() ? "" : ", ") + name;
  }
  if (!foreign.empty()) notices_.add(Tone::warn, "Keys in the settings that mean nothing here were left out: " + foreign + ".");
  for (const KeyConflict& conflict : keys_.conflicts()) notices_.add(Tone::warn, conflict_words(conflict));
  for (auto name = settings_.recent_actions.rbegin(); name != settings_.recent_actions.rend(); ++name) {
    if (const auto id = action_named(*name)) panels_.palette.recent.used(*id);
  }
  panels_.tensors.chosen = columns_titled(settings_.columns);
  panels_.tensors.widths.by_hand = widths_titled(settings_.column_widths);
  panels_.inspector.folded = settings_.folded;
  panels_.inspector.show_meanings = settings_.plain_words;
}

// Before a frame: docking text may not be changed while one is drawn.
void Application::take_arrangement() {
  if (!panels_.arrange) return;
  const std::string& stored = settings_.arrangements[static_cast<std::size_t>(*panels_.arrange)];
  panels_.arranged_by_hand = !stored.empty();
  if (stored.empty()) return;
  panels_.arrange.reset();
  load_arrangement(stored);
  for (const auto& [name, shown] : settings_.panels) {
    const auto id = action_named(name);
    if (id && action(*id).shows != nullptr && action(*id).menu == ActionMenu::view) panels_.menu.show.*action(*id).shows = shown;
  }
}

void Application::set_layout(LayoutPreset layout) {
  std::string& own = settings_.arrangements[static_cast<std::size_t>(options_.layout)];
  // The current one once more: as delivered. Another one: this one is remembered, when somebody made it their own.
  own = layout != options_.layout && panels_.arranged_by_hand ? checked_arrangement() : std::string();
  options_.layout = layout;
  settings_.layout = layout;
  panels_.arrange = layout;
}

void Application::note_window(const WindowPlace& place) {
  settings_.window = place;
  if (panels_.arranged_by_hand && !panels_.arrange)
    settings_.arrangements[static_cast<std::size_t>(options_.layout)] = checked_arrangement();
}

void Application::rebind(const command::Rebind& change) {
  if (change.chords)
    keys_.bind(change.action, *change.chords);
  else
    keys_.reset(change.action);
  const std::string name = action(change.action).name;
  if (keys_.changed(change.action))
    settings_.keys[name] = keys_.text(change.action);
  else
    settings_.keys.erase(name);
}

void Application::note_recent_file(const std::string& path) {
  std::error_code failed;
  const std::string absolute = std::filesystem::absolute(path, failed).lexically_normal().string();
  if (!failed && !path.empty()) put_first(settings_.recent_files, absolute);
}

void Application::choose_python(const std::string& path) {
  if (!link_ || path.empty()) return;
  settings_.python = path;
  put_first(settings_.recent_pythons, path);
  link_->choose(path);
  restart_host();
  host_.state = HostState::finding;
}

void Application::keep_settings() {
  if (options_.settings_file.empty()) return;
  if (arrangement_changed() && !panels_.arrange && panels_.arranged_by_hand)
    settings_.arrangements[static_cast<std::size_t>(options_.layout)] = checked_arrangement();
  settings_.recent_actions.clear();
  for (const ActionId id : panels_.palette.recent.all()) settings_.recent_actions.emplace_back(action(id).name);
  for (const Action& row : actions()) {
    if (row.shows != nullptr && row.menu == ActionMenu::view) settings_.panels[row.name] = panels_.menu.show.*row.shows;
  }
  if (const ColumnSet& chosen = panels_.tensors.chosen; chosen != columns_titled(settings_.columns))
    settings_.columns = column_titles(chosen);
  settings_.column_widths = titled_widths(panels_.tensors.widths.by_hand);
  settings_.folded = panels_.inspector.folded;
  settings_.plain_words = panels_.inspector.show_meanings;
  if (settings_ == kept_settings_) return;
  kept_settings_ = settings_;
  worker_->post(
      [this, file = options_.settings_file, settings = settings_](const std::stop_token&) -> Worker::Apply {
        const auto saved = save_settings(file, settings);
        if (saved) return {};
        return [this, why = saved.error().message] { notices_.add(Tone::warn, "The settings cannot be kept: " + why); };
      },
      job::kSettings);
}

}  // namespace dlscope::app
