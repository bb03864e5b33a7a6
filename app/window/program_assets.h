// Files that are installed with the program: beside it when installed, in the source tree when run from a build there.
#pragma once

#include <string>
#include <string_view>

namespace dlscope::app {

// name: "samples/tour.py". Returns the path; "" when it is not found.
[[nodiscard]] std::string find_asset(std::string_view name);

}  // namespace dlscope::app
