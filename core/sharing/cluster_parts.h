// Clusters (PlacedCluster) divided into parts for several threads.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "core/sharing/parts_of_work.h"
#include "core/sharing/placed_items.h"

namespace dlscope::core {

// Consecutive clusters with enough views to be a unit of work for a thread.
struct ClusterPart {
  std::size_t first = 0, count = 0;  // in PlacedItems::clusters
};

[[nodiscard]] inline std::vector<ClusterPart> parts_of(std::span<const PlacedCluster> clusters) {
  constexpr std::size_t kViewsPerPart = 1024;
  std::vector<ClusterPart> parts;
  std::size_t views = kViewsPerPart;
  for (std::size_t i = 0; i < clusters.size(); ++i) {
    if (views >= kViewsPerPart) {
      parts.push_back({i, 0});
      views = 0;
    }
    ++parts.back().count;
    views += clusters[i].count;
  }
  return parts;
}

// `wanted`: SharingLimits::threads.
[[nodiscard]] inline std::size_t threads_for_clusters(std::size_t wanted, std::size_t parts) {
  constexpr std::size_t kPartsPerThread = 8;
  return threads_for_parts(wanted, parts, kPartsPerThread);
}

}  // namespace dlscope::core
