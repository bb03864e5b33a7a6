// The items of find_sharing() made ready: normalised once, in the order in which they lie in memory, and the order of their extents.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/sharing/placed_view.h"
#include "core/sharing/sharing.h"

namespace dlscope::core {

[[nodiscard]] inline bool takes_part(const SharingItem& item) { return item.space != kNoSpace && !item.view.extent.empty(); }

struct PlacedItems {
  std::vector<PlacedView> views;  // by position
  std::vector<Axis> axes;         // of all of them
};
[[nodiscard]] PlacedItems place_items(std::span<const SharingItem> items);

// The positions of the items of one space by ascending extent begin.
[[nodiscard]] std::vector<std::uint32_t> by_begin(std::span<const SharingItem> items, SpaceId space);

}  // namespace dlscope::core
