// Settings: what outlives a session, as a value and as the text of one JSON file in the user's config folder. Reading it never
// runs anything, whatever stands in it; what it names (a Python, files) is only offered.
#pragma once

#include <array>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "app/models/actions/view_options.h"
#include "core/base/result.h"
#include "core/wire/debugging.h"

namespace dlscope::app {

inline constexpr std::size_t kMostRecentFiles = 12;
inline constexpr std::size_t kMostArrangementBytes = std::size_t{128} << 10;
inline constexpr std::size_t kMostSettingsBytes = std::size_t{1} << 20;

struct Settings {
  std::optional<ThemeChoice> theme;
  std::optional<LayoutPreset> layout;
  std::optional<float> scale;
  std::optional<WindowPlace> window;
  bool reduced_motion = false;
  std::string python;  // chosen by a person; "": the usual order
  std::vector<std::string> recent_pythons, recent_files, recent_actions;
  std::map<std::string, std::string> arguments;  // of a script, as typed, by its path
  std::map<std::string, std::string> working_folders;  // likewise
  std::map<std::string, std::string> modules;          // likewise: what a script is run as, "pkg.train"
  std::map<std::string, std::string> keys;  // action name -> chords, only where changed; checked by whoever binds them
  std::map<std::string, bool> panels;       // hidden or shown, by the name of the action that switches it
  std::vector<std::string> columns;         // of the tensor table, by title; none: those there is room for
  std::map<std::string, float> column_widths;  // drawn by hand, in font sizes, by title; others are as wide as they need to be
  std::set<std::string> folded;             // sections of the inspector
  bool show_meanings = true;                // beside the fields in the inspector
  std::vector<core::wire::Breakpoint> breakpoints;  // of files; their numbers are not kept
  std::vector<std::string> watches;                 // expressions
  bool stop_on_raise = false;
  bool others_stand = false, library_code = false;  // at stops: other threads stand as well; steps stop in libraries, too
  std::array<std::string, 3> arrangements;  // docking per layout preset; "": as delivered
  friend bool operator==(const Settings&, const Settings&) = default;
};

[[nodiscard]] std::string settings_text(const Settings& settings);
// Fails with words for what is no settings file of this version: broken JSON, other types, a newer version.
// Numbers out of range and arrangements that are none are left out: the rest is worth keeping.
[[nodiscard]] core::Result<Settings> parse_settings(std::string_view text);

// Whether docking text can be given to Dear ImGui: bounded, one tree, every node with no or two children.
[[nodiscard]] bool is_arrangement(std::string_view text);

// $XDG_CONFIG_HOME/dlscope/settings.json, else below ~/.config; "" when there is neither.
[[nodiscard]] std::string settings_path();

struct LoadedSettings {
  Settings settings;
  std::string notice;  // what was wrong, and where the file was put aside; "": nothing
};
// A missing file gives the defaults without a word; one that cannot be used is renamed to NAME.broken. "" loads nothing.
[[nodiscard]] LoadedSettings load_settings(const std::string& path);
// In one step, 0600, making the folder. thread: a worker. Fails with words.
[[nodiscard]] core::Result<void> save_settings(const std::string& path, const Settings& settings);

}  // namespace dlscope::app
