// When the tensors were seen, said of a process that somebody may have stopped: its run is not just said to be running.
#pragma once

#include <string>

#include "app/models/host/host_session.h"
#include "app/models/tensors/tensor_state.h"

namespace dlscope::app {

// moment_description(); "as of run 8; run 9 is stopped by a signal" while the process is.
[[nodiscard]] std::string moment_description(const Moment& moment, const HostSession& host);

}  // namespace dlscope::app
