// Translates events of a HostClient into those of a HostSession, for the window and for headless runs.
#pragma once

#include <optional>

#include "app/host/host_client.h"
#include "app/models/host/session_event.h"

namespace dlscope::app {

// nullopt: the event is not about the state of the host.
[[nodiscard]] std::optional<SessionEvent> session_event_of(const HostEvent& event);

}  // namespace dlscope::app
