// Prepares the items of find_sharing(): normalises each item's byte set once, and groups the items into clusters.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <stop_token>
#include <vector>

#include "core/sharing/placed_view.h"
#include "core/sharing/sharing.h"

namespace dlscope::core {

// A cluster: a maximal set of views of one space whose extents overlap in a chain (their union has no gap). Views of different
// clusters cannot share bytes. A slice of PlacedItems::views.
struct PlacedCluster {
  std::uint32_t first = 0, count = 0;
  SpaceId space = kNoSpace;
  std::uint32_t large = 0;  // not 0: compared by LargeClusters, where its number is large - 1; set when its pairs are counted

  [[nodiscard]] std::uint64_t most_pairs() const { return std::uint64_t{count} * (count - 1) / 2; }
};

struct PlacedItems {
  std::vector<PlacedView> views;        // one per item that takes part, sorted by space and begin
  std::vector<PlacedCluster> clusters;  // sorted by space and begin
  std::vector<Axis> axes;               // the pool for all views

  [[nodiscard]] std::span<PlacedView> views_of(const PlacedCluster& cluster) {
    return std::span(views).subspan(cluster.first, cluster.count);
  }
};

// Reads items and layouts once, in the order in which they are
// stored. Items with an empty extent or without a space are left out. nullopt: stopped.
[[nodiscard]] std::optional<PlacedItems> place_items(std::span<const SharingItem> items, const std::stop_token& stop);

}  // namespace dlscope::core
