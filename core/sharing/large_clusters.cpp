#include "core/sharing/large_clusters.h"

#include <algorithm>

#include "core/sharing/sharing_groups.h"

namespace dlscope::core {
namespace {

constexpr std::size_t kLargeAtOnce = 128;  // clusters whose pairs are compared together: each has hundreds of them

}  // namespace

std::size_t LargeClusters::add(const PlacedCluster& cluster, std::span<PlacedView> views, std::span<const Axis> axes,
                               std::uint64_t max_pairs) {
  if (loaded_.size() == kLargeAtOnce) compare_loaded();
  if (loaded_.size() == pool_.size()) pool_.emplace_back();
  SharingCluster& loaded = pool_[loaded_.size()];
  loaded.load(views, axes);
  const bool all_listed = loaded.list_pairs(listed_, max_pairs);
  loaded_.push_back({cluster.space, &loaded, all_listed});
  return groups_.size() + loaded_.size() - 1;
}

void LargeClusters::finish() { compare_loaded(); }

void LargeClusters::compare_loaded() {
  const bool compared = listed_.compare();  // false: a stop came before that
  for (const auto& [space, views, all_listed] : loaded_) {
    bool joined = all_listed && compared;
    if (!joined) {
      missing_pairs_ = std::max(missing_pairs_, stopped_or(UnknownWhy::pair_bound));
      joined = !budget_.stopped() && connect_all(*views, budget_);
    }
    for (const SharingCluster::Undecided pair : views->undecided()) {
      joined = joined && views->connected().joined(pair.first, pair.second);
    }
    if (!joined) open_groups_ = std::max(open_groups_, stopped_or(UnknownWhy::over_budget));
    views->add_groups(space, groups_.emplace_back(), budget_);
  }
  loaded_.clear();
}

}  // namespace dlscope::core
