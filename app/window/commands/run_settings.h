// What a script is run with: its arguments, its working folder and the module it is run as. Typed in the script's toolbar and
// stored per script in the settings. Those of the command line apply to the script it named.
#pragma once

#include <string>
#include <vector>

#include "app/window/application_parts.h"

namespace dlscope::app {

// Once a frame: loads the settings of a script that was just opened, and stores what was typed.
void follow_run_settings(ApplicationParts& parts);

struct RunSettings {
  std::vector<std::string> arguments;  // sys.argv[1:]
  std::string working_folder;          // absolute; "": none was chosen
  std::string module;                  // "pkg.train", as `python -m` has it; "": run as a script
};
// The settings for the next run. Fails (with a message to show) where the arguments cannot be split.
[[nodiscard]] core::Result<RunSettings> settings_of_run(const ApplicationParts& parts);

}  // namespace dlscope::app
