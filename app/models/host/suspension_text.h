// What the window says of a process that somebody has stopped (HostSession::suspension()): the same words wherever its state is said.
#pragma once

#include <string>
#include <utility>

#include "app/models/host/host_session.h"

namespace dlscope::app {

// One word more than host_state_word(), for beside the buttons. A script that stands at a breakpoint is "stopped", too.
inline constexpr const char* kSuspendedWord = "stopped by a signal";

// The hint of a button whose work is the process's: what it is for, or why it is refused, after what has to happen first.
[[nodiscard]] inline std::string hint_while_suspended(const HostSession& host, std::string hint) {
  return host.suspension().empty() ? std::move(hint) : host.suspension() + ". What is asked of it waits until then.\n" + hint;
}

}  // namespace dlscope::app
