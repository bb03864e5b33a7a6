// Many comparisons of prepared sets, spread over several threads: those of large clusters (sharing_cluster.h).
#pragma once

#include <cstddef>
#include <span>

#include "core/sharing/prepared_set.h"
#include "core/sharing/work_budget.h"

namespace dlscope::core {

struct SetPair {
  const PreparedSet *a, *b;
};

// Writes the overlap of each pair, in the same order. The result is the same for any number of threads (0: as many as are
// useful). False: stopped; then `out` is meaningless. Blocks; starts up to `threads` - 1 threads.
[[nodiscard]] bool compare_sets(std::span<const SetPair> pairs, std::span<SetOverlap> out, WorkBudget& budget,
                                std::size_t threads);

}  // namespace dlscope::core
