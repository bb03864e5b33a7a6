// Which tensors of an earlier snapshot are still there: the same layout at the same address, whatever their names and objects.
// What follows from nothing but layout and address (contiguity, distinct bytes, sharing) can be taken over from it.
#pragma once

#include <cstdint>
#include <vector>

#include "core/inventory/snapshot.h"

namespace dlscope::core {

// For each tensor of `now` the id of an equal one in `earlier`, kNone32 where there is none; no id is given twice. Costs one
// comparison for each tensor that is still in its place among the others, and a search for the rest. thread: any.
[[nodiscard]] std::vector<std::uint32_t> find_unchanged(const Snapshot& earlier, const Snapshot& now);

}  // namespace dlscope::core
