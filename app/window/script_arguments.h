// The arguments that the script gets with its next run: typed in the script's toolbar, kept per script in the settings; those of
// the command line for the script it named.
#pragma once

#include <string>
#include <vector>

#include "app/window/application_parts.h"

namespace dlscope::app {

// Once a frame: another script brings its own, and what was typed is put into the settings.
void follow_arguments(ApplicationParts& parts);
// As sys.argv[1:]. Fails with words where they cannot be parted.
[[nodiscard]] core::Result<std::vector<std::string>> arguments_of_run(const ApplicationParts& parts);

}  // namespace dlscope::app
