// What the console's empty field says of the names that a line typed there would see.
#pragma once

#include <array>
#include <string>
#include <string_view>

#include "app/models/host/host_session.h"

namespace dlscope::app {

// Python was there, and has crashed or ended: a line typed there waits until it is restarted.
[[nodiscard]] bool console_needs_restart(const HostSession& host);

// In the chosen frame of a stop, or in a kept frame of a script that ended: which, and how to leave it. Longest first; empty
// texts: there is no such frame.
[[nodiscard]] std::array<std::string, 3> console_frame_hint(const HostSession& host);

// Not at a stop. Longest first, for narrow fields.
[[nodiscard]] std::array<std::string_view, 3> console_hint(const HostSession& host);

}  // namespace dlscope::app
