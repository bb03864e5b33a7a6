// Counts the pairs of all small clusters (SmallCluster) from their extents alone, and decides which clusters are large.
#pragma once

#include <cstdint>
#include <span>
#include <stop_token>

#include "core/sharing/cluster_parts.h"
#include "core/sharing/placed_items.h"

namespace dlscope::core {

// Adds the pairs to `pairs_of_rank`, by rank of the lower view, and returns their number, at most `max_pairs`. Clusters of too
// many views, and those whose pairs may not all fit into the list, get a `large` that is not 0; the views of the others are
// sorted by rank. When not all pairs fit, those of clusters of many views are left out first, and those of small ones that no
// longer fit. Stopped: some pairs are not counted. thread: any; starts others.
std::uint64_t count_small_pairs(PlacedItems& placed, std::span<const ClusterPart> parts, std::uint64_t max_pairs,
                                std::size_t threads, const std::stop_token& stop, std::span<std::uint32_t> pairs_of_rank);

}  // namespace dlscope::core
