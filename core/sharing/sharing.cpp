#include "core/sharing/sharing.h"

#include <algorithm>
#include <stop_token>

#include "core/sharing/cluster_parts.h"
#include "core/sharing/cluster_results.h"
#include "core/sharing/large_clusters.h"
#include "core/sharing/pair_list.h"
#include "core/sharing/placed_items.h"
#include "core/sharing/small_pair_count.h"
#include "core/sharing/work_budget.h"

namespace dlscope::core {
namespace {

constexpr std::uint64_t kMaxPairs = ~std::uint32_t{0};  // their indices have 32 bits

// Two passes over the clusters. The first counts the pairs, from the extents alone, so that the second can write each pair once,
// directly into the list sorted by ids.
Sharing find_in(PlacedItems& placed, std::size_t items, const SharingLimits& limits, WorkBudget& budget) {
  const std::uint64_t max_pairs = std::min(limits.max_pairs, kMaxPairs);
  const std::stop_token& stop = budget.now().stop;
  const std::vector<ClusterPart> parts = parts_of(placed.clusters);
  PairList list(items);
  std::uint64_t counted = count_small_pairs(placed, parts, max_pairs, limits.threads, stop, list.counts());
  LargeClusters large(placed, budget, limits.threads);
  for (PlacedCluster& cluster : placed.clusters) {
    if (cluster.large != 0) counted += large.count_pairs(cluster, max_pairs - counted, list.counts());
  }
  Sharing out;
  const bool has_room = list.make_room(stop);
  large.write_pairs(list);
  const bool all_written = ClusterResults(placed, parts, large, budget, limits.threads).write(list, out);
  out.missing_pairs = std::max(out.missing_pairs, large.missing_pairs());
  out.open_groups = std::max(out.open_groups, large.open_groups());
  if (has_room && (large.is_cut_short() || !all_written)) list.compact();
  out.pairs = list.take();
  return out;
}

}  // namespace

SharingPair compare_views(std::uint32_t id_a, const MemoryView& a, std::uint32_t id_b, const MemoryView& b,
                          const OverlapBudget& budget) {
  const PreparedView prepared_a(a), prepared_b(b);
  std::uint64_t spent = 0;
  return pair_of(id_a, id_b, overlap_of_sets(prepared_a.get(), prepared_b.get(), budget, spent));
}

Sharing find_sharing(std::span<const SharingItem> items, const SharingLimits& limits) {
  // limits.stop and limits.budget.stop may both request a stop; the code below checks only one token.
  std::stop_source either;
  const auto request = [&either] { either.request_stop(); };
  const std::stop_callback<decltype(request)> on_sharing(limits.stop, request);
  const std::stop_callback<decltype(request)> on_budget(limits.budget.stop, request);
  OverlapBudget each = limits.budget;
  each.stop = either.get_token();
  auto placed = place_items(items, each.stop);
  if (!placed) {
    Sharing out;
    out.missing_pairs = out.open_groups = UnknownWhy::stopped;
    return out;
  }
  WorkBudget budget(each, limits.work);
  Sharing out = find_in(*placed, items.size(), limits, budget);
  out.spent = limits.work - budget.left();
  return out;
}

}  // namespace dlscope::core
