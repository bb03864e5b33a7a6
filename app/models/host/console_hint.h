// What the console's empty field says of the names that a line typed there would see.
#pragma once

#include <array>
#include <string_view>

#include "app/models/host/host_session.h"

namespace dlscope::app {

// Python was there, and has crashed or ended: a line typed there waits until it is restarted.
[[nodiscard]] bool console_needs_restart(const HostSession& host);

// Not at a stop. Longest first, for narrow fields.
[[nodiscard]] std::array<std::string_view, 3> console_hint(const HostSession& host);

}  // namespace dlscope::app
