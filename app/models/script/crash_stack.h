// Parses the Python stack that faulthandler wrote in a crash.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace dlscope::app {

// The file name in the code objects of a script (embed/host/host_request.cpp). path: as given for a run; "": code without a file.
[[nodiscard]] std::string file_of_code(const std::string& path);

// The line of the innermost frame in `file` (UTF-8, as in its code object), in the thread that crashed. 0: there is none.
[[nodiscard]] std::int32_t line_in_stack(std::string_view stack, std::string_view file);

}  // namespace dlscope::app
