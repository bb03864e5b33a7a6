#include "app/window/script_arguments.h"

#include <utility>

#include "app/models/script/argument_text.h"

namespace dlscope::app {

void follow_arguments(ApplicationParts& parts) {
  ScriptPanelState& panel = parts.panels.script;
  const std::string& path = parts.document.model().path;
  auto& kept = parts.settings.values().arguments;
  const bool first = !panel.arguments_of;
  if (first || *panel.arguments_of != path) {
    const auto found = kept.find(path);
    panel.arguments = found == kept.end() ? std::string() : found->second;
    if (first && !parts.options.arguments.empty()) panel.arguments = join_arguments(parts.options.arguments);
    panel.arguments_of = path;
  }
  if (path.empty()) return;  // a script without a file has no name to keep them by
  if (panel.arguments.empty())
    kept.erase(path);
  else if (kept.size() < kMostRecentFiles * 4 || kept.contains(path))
    kept[path] = panel.arguments;
}

core::Result<std::vector<std::string>> arguments_of_run(const ApplicationParts& parts) {
  // Before the first frame there is no toolbar to have changed them.
  if (!parts.panels.script.arguments_of) return parts.options.arguments;
  return split_arguments(parts.panels.script.arguments);
}

}  // namespace dlscope::app
