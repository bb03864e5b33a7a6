// The folder a script is run in, as typed by a person.
#pragma once

#include <string>
#include <string_view>

namespace dlscope::app {

// Makes it absolute; "" stays "". "~" is the home folder; a relative path counts from the script's folder ("." is that folder).
// script_path: absolute; "": the script has no file, and a relative path counts from the viewer's folder.
[[nodiscard]] std::string working_folder_from(std::string_view typed, const std::string& script_path);

}  // namespace dlscope::app
