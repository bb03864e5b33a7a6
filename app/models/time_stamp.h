// Names of files we make for a person.
#pragma once

#include <string>
#include <string_view>

namespace dlscope::app {

// "dlscope-2026-01-31-235959.png", in the working folder; never the name of a file that is there.
[[nodiscard]] std::string time_stamped(std::string_view prefix, std::string_view suffix);

}  // namespace dlscope::app
