// Settings: what is stored from session to session, as a value and as the text of one JSON file in the user's config folder.
// Reading never runs anything named in the file; a Python or a file in it is only offered.
#pragma once

#include <array>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "app/models/actions/view_options.h"
#include "app/models/debug/breakpoint_list.h"
#include "core/base/result.h"

namespace dlscope::app {

inline constexpr std::size_t kMaxRecentFiles = 12;
inline constexpr std::size_t kMaxRunSettings = 96;  // scripts
inline constexpr std::size_t kMaxArrangementBytes = std::size_t{128} << 10;
inline constexpr std::size_t kMaxSettingsBytes = std::size_t{1} << 20;

struct Settings {
  std::optional<ThemeChoice> theme;
  std::optional<LayoutPreset> layout;
  std::optional<float> scale;
  std::optional<WindowPlace> window;
  bool reduced_motion = false;
  std::string python;  // chosen by a person; "": the usual order
  std::vector<std::string> recent_pythons, recent_files, recent_actions;
  std::map<std::string, std::string> arguments;        // by script path, as typed
  std::map<std::string, std::string> working_folders;  // likewise
  std::map<std::string, std::string> modules;          // likewise: the module it is run as, "pkg.train"
  std::vector<std::string> run_settings_used;          // the scripts that have any of these three, the one last used first
  std::map<std::string, std::string> keys;             // action name -> chords, only changed ones; checked when they are bound
  std::map<std::string, bool> panels;                  // shown or hidden, by the name of the action that shows the panel
  std::vector<std::string> columns;                    // of the tensor table, by title; empty: those that fit
  std::map<std::string, float> column_widths;          // set by hand, in font sizes, by title; others fit their content
  std::set<std::string> folded;                        // sections of the inspector
  bool show_meanings = true;                           // beside the fields in the inspector
  std::vector<KeptBreakpoint> breakpoints;             // in files; their ids are not stored
  std::vector<std::string> watches;                    // expressions
  bool stop_on_raise = false, stop_on_uncaught = false;
  bool stop_others = false, library_code = false;  // at stops: other threads stand still, too; steps stop in libraries, too
  std::array<std::string, 3> arrangements;          // docking per layout preset; "": the default
  friend bool operator==(const Settings&, const Settings&) = default;
};

[[nodiscard]] std::string settings_text(const Settings& settings);
// Fails with a message when it is not a settings file of this version: broken JSON, wrong types, a newer version. Numbers out of
// range and invalid arrangements are skipped, the rest is used.
[[nodiscard]] core::Result<Settings> parse_settings(std::string_view text);

// Whether a docking text can safely be given to Dear ImGui: bounded size, its own spelling, every node with no or two children,
// every window in a node without any.
[[nodiscard]] bool is_arrangement(std::string_view text);

// $XDG_CONFIG_HOME/dlscope/settings.json, else below ~/.config; "": neither exists.
[[nodiscard]] std::string settings_path();

struct LoadedSettings {
  Settings settings;
  std::string notice;  // what was wrong, and where the file was moved to; "": nothing
};
// A missing file gives the defaults silently; one that cannot be used is renamed to NAME.broken. "": loads nothing.
[[nodiscard]] LoadedSettings load_settings(const std::string& path);
// Written in one step with mode 0600; creates the folder. thread: a worker. Fails with a message.
[[nodiscard]] core::Result<void> save_settings(const std::string& path, const Settings& settings);

}  // namespace dlscope::app
