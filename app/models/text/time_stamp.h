// The time as a person here reads it, in names of files we make and in the log.
#pragma once

#include <string>
#include <string_view>

namespace dlscope::app {

// "dlscope-2026-01-31-235959.png", in the working folder; never the name of a file that is there.
[[nodiscard]] std::string time_stamped(std::string_view prefix, std::string_view suffix);
// "14:05:09"
[[nodiscard]] std::string time_of_day();

}  // namespace dlscope::app
