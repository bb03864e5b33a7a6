// The Python stack that is left of a crash, as faulthandler wrote it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace dlscope::app {

// How the code objects of a script name their file (embed/host/host_request.cpp), given as for a run; "": code without one.
[[nodiscard]] std::string file_of_code(const std::string& path);

// The line of the innermost frame that lies in `file` (UTF-8, as its code object names it), in the thread that met the
// fault. 0: there is none.
[[nodiscard]] std::int32_t line_in_stack(std::string_view stack, std::string_view file);

}  // namespace dlscope::app
