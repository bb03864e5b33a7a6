// The items of find_sharing() made ready: what hangs together by its extents, and of each item what comparing it needs, normalised
// once.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/sharing/placed_view.h"
#include "core/sharing/sharing.h"

namespace dlscope::core {

// Views of one space whose extents hang together: a slice of PlacedItems::views.
struct PlacedCluster {
  std::uint32_t first = 0, count = 0;
  SpaceId space = kNoSpace;
};

struct PlacedItems {
  std::vector<PlacedView> views;        // of the items that take part, by space and begin
  std::vector<PlacedCluster> clusters;  // by space and begin
  std::vector<Axis> axes;               // of all of them
};

// Reads items and layouts once, in the order in which they lie in memory. Items with an empty extent or without a space are left out.
[[nodiscard]] PlacedItems place_items(std::span<const SharingItem> items);

}  // namespace dlscope::core
