// Files that come with the program: beside it when installed, in the source tree when built there.
#pragma once

#include <string>
#include <string_view>

namespace dlscope::app {

// name: "samples/tour.py". "" when it is nowhere.
[[nodiscard]] std::string find_asset(std::string_view name);

}  // namespace dlscope::app
