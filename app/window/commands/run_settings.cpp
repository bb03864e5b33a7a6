#include "app/window/commands/run_settings.h"

#include <filesystem>
#include <utility>
#include <vector>

#include "app/models/debug/breakpoint_list.h"
#include "app/models/script/argument_text.h"
#include "app/models/script/working_folder.h"

namespace dlscope::app {
namespace {

using KeptTexts = std::map<std::string, std::string>;

std::string kept_of(const KeptTexts& kept, const std::string& path) {
  const auto found = kept.find(path);
  return found == kept.end() ? std::string() : found->second;
}

void keep(KeptTexts& kept, const std::string& path, const std::string& text) {
  if (text.empty())
    kept.erase(path);
  else
    kept[path] = text;
}

// Stores what was typed for the script, in place of what was stored for the one that was not used for longest.
void keep_run_settings(const std::string& path, const ScriptPanelState& panel, Settings& settings) {
  keep(settings.arguments, path, panel.arguments);
  keep(settings.working_folders, path, panel.working_folder);
  keep(settings.modules, path, panel.module);
  std::vector<std::string>& used = settings.run_settings_used;
  const bool any = !panel.arguments.empty() || !panel.working_folder.empty() || !panel.module.empty();
  if (any && !used.empty() && used.front() == path) return;
  std::erase(used, path);
  if (any) used.insert(used.begin(), path);
  for (; used.size() > kMaxRunSettings; used.pop_back()) {
    for (KeptTexts* const texts : {&settings.arguments, &settings.working_folders, &settings.modules}) texts->erase(used.back());
  }
}

// A module of the command line is searched from the folder that dlscope was started in, not from a stored working folder.
void run_as_module_from_here(const std::string& module, ScriptPanelState& panel) {
  std::error_code error;
  panel.module = module;
  panel.working_folder = std::filesystem::current_path(error).string();
}

}  // namespace

void follow_run_settings(ApplicationParts& parts) {
  ScriptPanelState& panel = parts.panels.script;
  const ScriptModel& script = parts.document.model();
  const std::string& path = script.path;
  Settings& settings = parts.settings.values();
  const bool first = !panel.run_settings_of;
  // A script that gets a file, or another one, keeps what was typed for it.
  if (first || !script.is_the_one_of(*panel.run_settings_of)) {
    panel.arguments = kept_of(settings.arguments, path);
    if (first && !parts.options.arguments.empty()) panel.arguments = join_arguments(parts.options.arguments);
    panel.working_folder = kept_of(settings.working_folders, path);
    panel.module = kept_of(settings.modules, path);
    if (first && !parts.options.module.empty()) run_as_module_from_here(parts.options.module, panel);
  }
  panel.run_settings_of = script.identity();
  if (path.empty()) return;  // settings are kept by path: a script without a file has none
  keep_run_settings(path, panel, settings);
}

core::Result<RunSettings> settings_of_run(const ApplicationParts& parts) {
  const ScriptPanelState& panel = parts.panels.script;
  const std::string& path = parts.document.model().path;
  const bool typed = panel.run_settings_of.has_value();  // before the first frame there is no toolbar to have changed them
  auto arguments = typed ? split_arguments(panel.arguments) : parts.options.arguments;
  if (!arguments) return std::unexpected(arguments.error());
  const std::string folder = typed ? panel.working_folder : kept_of(parts.settings.values().working_folders, path);
  const std::string module = typed ? panel.module : kept_of(parts.settings.values().modules, path);
  RunSettings out{std::move(*arguments), working_folder_from(folder, path.empty() ? std::string() : source_path(path)), {}};
  if (!path.empty()) out.module = module;
  return out;
}

}  // namespace dlscope::app
