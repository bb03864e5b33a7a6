// Which views of a cluster are connected through shared bytes, without a list of their pairs.
#pragma once

#include "core/sharing/sharing_cluster.h"

namespace dlscope::core {

// Joins every two classes that share a byte, directly or through others; compares only classes that are not joined yet. Adds
// undecided pairs to the cluster. False: stopped, or too much work; then joins may be missing.
bool connect_all(SharingCluster& cluster, WorkBudget& budget);

}  // namespace dlscope::core
