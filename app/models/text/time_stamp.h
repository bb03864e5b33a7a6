// The local time, in names of created files and in the log.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace dlscope::app {

// "dlscope-2026-01-31-235959-123.png" in the working folder, with the millisecond: another name for each file, without asking the
// disk for those that exist.
[[nodiscard]] std::string time_stamped(std::string_view prefix, std::string_view suffix);
// "14:05:09"
[[nodiscard]] std::string time_of_day();
// "2026-01-31 14:05:09"
[[nodiscard]] std::string date_and_time();
// That of a moment of CLOCK_MONOTONIC.
[[nodiscard]] std::string time_of_day(std::int64_t t_ns);

}  // namespace dlscope::app
