// What a look at the tensors has left out.
#pragma once

#include <string>

#include "core/inventory/snapshot.h"

namespace dlscope::app {

// A line for each limit that was reached, with its line break; "" when nothing was left out.
[[nodiscard]] std::string limits_reached(const core::Snapshot& snapshot);

}  // namespace dlscope::app
