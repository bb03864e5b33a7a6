// What a script is run with: its arguments, its working folder and the module it is run as, typed in the script's toolbar and kept per
// script in the settings. Those of the command line are for the script it named.
#pragma once

#include <string>
#include <vector>

#include "app/window/application_parts.h"

namespace dlscope::app {

// Once a frame: another script brings its own, and what was typed is put into the settings.
void follow_run_settings(ApplicationParts& parts);

struct RunSettings {
  std::vector<std::string> arguments;  // sys.argv[1:]
  std::string working_folder;          // absolute; "": none was chosen
  std::string module;                  // "pkg.train", as `python -m` has it; "": run as a script
};
// Of the next run. Fails with words where the arguments cannot be parted.
[[nodiscard]] core::Result<RunSettings> settings_of_run(const ApplicationParts& parts);

}  // namespace dlscope::app
