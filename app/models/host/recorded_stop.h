// A session for a picture of a stop: nobody is behind it, so it answers no questions.
#pragma once

#include <string>

#include "app/models/host/host_session.h"

namespace dlscope::app {

// In the state in which its script stands at this stop or, with the reason `ended`, has ended there with this outcome.
[[nodiscard]] HostSession recorded_at(const core::wire::Stopped& stop, const std::string& python,
                                      const core::RunOutcome& outcome);

}  // namespace dlscope::app
