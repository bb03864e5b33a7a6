// Finds the tensors of an earlier snapshot that are still there: the same layout at the same address, whatever their names and
// objects. Facts that depend only on layout and address (contiguity, distinct bytes, sharing) can then be taken over.
#pragma once

#include <cstdint>
#include <stop_token>
#include <vector>

#include "core/inventory/snapshot.h"

namespace dlscope::core {

// For each tensor of `now` the id of an equal one in `earlier`, or kNone32; no id occurs twice. Takes one comparison for each
// tensor that has kept its position among the others, a few for each of the rest, and a search for the rest unless a sample of
// them shows that it would find next to none: then some tensors may be overlooked. Stopped: those found by then. thread: any.
[[nodiscard]] std::vector<std::uint32_t> find_unchanged(const Snapshot& earlier, const Snapshot& now,
                                                        const std::stop_token& stop = {});

}  // namespace dlscope::core
