// Finds the tensors of an earlier snapshot in a later one by variable: a local of a function is another variable than a global or
// a local of another function with the same name. Each snapshot spells names as its innermost frame sees them, so between two
// stops the same local may be "x" and "step().x", and "x" may be two variables.
#pragma once

#include <cstdint>
#include <stop_token>
#include <vector>

#include "core/inventory/snapshot.h"

namespace dlscope::app {

struct VariableMatches {
  std::vector<std::uint32_t> was;     // by tensor of `now`: its id in `before`; kNone32: none of its variables was there
  std::vector<std::uint32_t> became;  // by tensor of `before`: its id in `now`; kNone32: none of its variables is there
  // Tensors whose variables cannot be compared: locals of another thread, globals of another module.
  std::vector<bool> now_unknown, before_unknown;
};

// Two frames are the same where all functions that called them are: a later call of a function has the variables of the earlier.
// thread: a worker. When stopped, the result is incomplete and must be discarded.
[[nodiscard]] VariableMatches match_variables(const core::Snapshot& before, const core::Snapshot& now,
                                              const std::stop_token& stop = {});

}  // namespace dlscope::app
