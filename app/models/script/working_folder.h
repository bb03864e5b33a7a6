// The folder a script is run in, as a person types it.
#pragma once

#include <string>
#include <string_view>

namespace dlscope::app {

// Absolute; "" for "". "~" is the home folder, and a relative one counts from the script's own folder ("." is that folder).
// script_path: absolute; "": the script is in no file, and a relative folder counts from the viewer's.
[[nodiscard]] std::string working_folder_from(std::string_view typed, const std::string& script_path);

}  // namespace dlscope::app
