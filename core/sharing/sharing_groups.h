// Two questions about groups that need no list of pairs: which views of a cluster are connected through shared bytes, and how
// many bytes a group touches in total.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/sharing/sharing_cluster.h"

namespace dlscope::core {

// Joins every two classes that share a byte, directly or through others; compares only classes that are not joined yet. Adds
// undecided pairs to the cluster. False: stopped, or too much work; then joins may be missing.
bool connect_all(SharingCluster& cluster, WorkBudget& budget);

// The number of bytes in the union of the sets; kUnknownBytes if over budget or stopped.
[[nodiscard]] std::uint64_t union_bytes(std::span<const PreparedSet* const> sets, WorkBudget& budget);

}  // namespace dlscope::core
