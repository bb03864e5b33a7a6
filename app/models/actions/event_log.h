// The log as it is shown and saved: the window's notices and what the script's process noted, merged by time.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "app/models/actions/notices.h"

namespace dlscope::app {

// Those that contain `filter` (case ignored) in time, kind or text, oldest first. Valid until the next notice or event.
[[nodiscard]] std::vector<const LoggedEvent*> log_rows(const Notices& notices, std::string_view filter);
// "14:05:09  copy  48 bytes, ...", one line each.
[[nodiscard]] std::string log_text(const std::vector<const LoggedEvent*>& rows);
// {"events": [EVENT, ...]} with EVENT as in the report; `tensor` is null, and `kind` is "window" for what the window noted.
[[nodiscard]] std::string log_json(const std::vector<const LoggedEvent*>& rows);
// "12 older events were dropped"; "": none was.
[[nodiscard]] std::string dropped_text(const Notices& notices);

}  // namespace dlscope::app
