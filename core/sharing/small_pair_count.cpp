#include "core/sharing/small_pair_count.h"

#include <algorithm>
#include <numeric>
#include <vector>

#include "core/sharing/small_cluster.h"

namespace dlscope::core {
namespace {

constexpr std::uint32_t kLarge = 1;  // until LargeClusters numbers it

bool is_small(const PlacedCluster& cluster) { return cluster.count <= SmallCluster::kMaxViews; }

bool all_small_pairs_fit(std::span<const PlacedCluster> clusters, std::uint64_t max_pairs) {
  std::uint64_t most = 0;
  for (const PlacedCluster& cluster : clusters) most += is_small(cluster) ? cluster.most_pairs() : 0;
  return most <= max_pairs;
}

std::uint64_t count_pairs(const PlacedCluster& cluster, PlacedItems& placed, std::span<std::uint32_t> pairs_of_rank) {
  if (cluster.count == 1) return 0;
  const std::span<PlacedView> views = placed.views_of(cluster);
  std::ranges::sort(views, {}, &PlacedView::rank);
  return SmallCluster::count_pairs(views, pairs_of_rank);
}

std::uint64_t count_in_order(PlacedItems& placed, std::uint64_t max_pairs, const std::stop_token& stop,
                             std::span<std::uint32_t> pairs_of_rank) {
  std::uint64_t pairs = 0;
  for (PlacedCluster& cluster : placed.clusters) {
    if (!is_small(cluster) || pairs + cluster.most_pairs() > max_pairs || stop.stop_requested())
      cluster.large = cluster.count > 1 ? kLarge : 0;
    else
      pairs += count_pairs(cluster, placed, pairs_of_rank);
  }
  return pairs;
}

}  // namespace

std::uint64_t count_small_pairs(PlacedItems& placed, std::span<const ClusterPart> parts, std::uint64_t max_pairs,
                                std::size_t threads, const std::stop_token& stop, std::span<std::uint32_t> pairs_of_rank) {
  if (!all_small_pairs_fit(placed.clusters, max_pairs)) return count_in_order(placed, max_pairs, stop, pairs_of_rank);
  std::vector<std::uint64_t> counts(parts.size());
  struct NoScratch {};
  // Each rank belongs to one cluster, so the threads write to different elements.
  for_each_part<NoScratch>(parts.size(), threads_for_clusters(threads, parts.size()), [&](std::size_t i, NoScratch) {
    const bool stopped = i > 0 && stop.stop_requested();  // pairs that are not counted are not written either
    for (PlacedCluster& cluster : std::span(placed.clusters).subspan(parts[i].first, parts[i].count)) {
      if (!is_small(cluster))
        cluster.large = kLarge;
      else if (!stopped)
        counts[i] += count_pairs(cluster, placed, pairs_of_rank);
    }
  });
  return std::accumulate(counts.begin(), counts.end(), std::uint64_t{0});
}

}  // namespace dlscope::core
