// From what a HostClient reports to what a HostSession is told: the one translation, for the window and for headless runs.
#pragma once

#include <optional>

#include "app/host/host_client.h"
#include "app/models/host/session_event.h"

namespace dlscope::app {

// nullopt: not about the state of the host.
[[nodiscard]] std::optional<SessionEvent> session_event_of(const HostEvent& event);

}  // namespace dlscope::app
