// A breakpoint whose condition raised: it stops, as where the condition is true, and the host says what was raised.
#pragma once

#include <string_view>

#include "core/wire/debugging.h"

namespace dlscope::app {

// Of BreakpointState::message: it tells of the condition, and not why the breakpoint cannot stop.
[[nodiscard]] inline bool is_of_condition(std::string_view message) { return message.starts_with("The condition raised "); }
[[nodiscard]] inline bool can_stop(const core::wire::BreakpointState& said) {
  return said.message.empty() || is_of_condition(said.message);
}

}  // namespace dlscope::app
