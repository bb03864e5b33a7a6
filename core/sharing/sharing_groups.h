// The two questions about groups that need no list of pairs: which views of a cluster are connected through shared
// bytes, and how many bytes a group touches altogether.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/sharing/sharing_cluster.h"

namespace dlscope::core {

// Joins every two classes that share a byte, directly or through others, testing only pairs that are not joined yet.
// False: stopped, or too much work: joins may be missing. Undecided pairs go to the cluster.
bool connect_all(SharingCluster& cluster, WorkBudget& budget);

// Bytes of the union of the sets; kUnknownBytes when over budget or stopped.
[[nodiscard]] std::uint64_t union_bytes(std::span<const PreparedSet* const> sets, WorkBudget& budget);

}  // namespace dlscope::core
