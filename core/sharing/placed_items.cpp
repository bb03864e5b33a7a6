#include "core/sharing/placed_items.h"

#include <algorithm>
#include <bit>
#include <numeric>

#include "core/sharing/radix_sort.h"

namespace dlscope::core {
namespace {

// Where each item's id stands among all ids; usually where the item stands.
std::vector<std::uint32_t> ranks_of(std::span<const SharingItem> items) {
  std::vector<std::uint32_t> ranks(items.size());
  std::iota(ranks.begin(), ranks.end(), std::uint32_t{0});
  if (std::ranges::is_sorted(items, {}, &SharingItem::id)) return ranks;
  std::vector<std::uint64_t> order(items.size());
  for (std::size_t i = 0; i < items.size(); ++i) order[i] = std::uint64_t{items[i].id} << 32 | i;
  std::ranges::sort(order);
  for (std::uint32_t rank = 0; rank < order.size(); ++rank) ranks[static_cast<std::uint32_t>(order[rank])] = rank;
  return ranks;
}

}  // namespace

PlacedItems place_items(std::span<const SharingItem> items) {
  PlacedItems out;
  const std::vector<std::uint32_t> ranks = ranks_of(items);
  out.views.resize(items.size());
  out.axes.reserve(3 * items.size());
  AxisStorage storage;
  for (std::size_t i = 0; i < items.size(); ++i) {
    const SharingItem& item = items[i];
    PlacedView& view = out.views[i];
    view.extent = item.view.extent;
    view.distinct_bytes = item.distinct_bytes;
    view.id = item.id;
    view.rank = ranks[i];
    if (!takes_part(item)) continue;
    const StridedSet set = bytes_of(item.view, storage);
    view.first_axis = static_cast<std::uint32_t>(out.axes.size());
    view.axis_count = static_cast<std::uint8_t>(set.axes.size());
    view.unit_bits = static_cast<std::uint8_t>(set.unit_bits);
    view.phase = static_cast<std::uint8_t>(set.phase);
    view.nested = set.nested;
    out.axes.insert(out.axes.end(), set.axes.begin(), set.axes.end());
    if (view.distinct_bytes == kUnknownBytes) view.distinct_bytes = count_bytes_if_nested(set).value_or(kUnknownBytes);
  }
  return out;
}

// Key and position share a word where they fit, which they do unless the
// views lie further apart than 2^47 bytes: half the memory to move.
std::vector<std::uint32_t> by_begin(std::span<const SharingItem> items, SpaceId space) {
  std::vector<std::uint32_t> order;
  order.reserve(items.size());
  Address lowest = ~Address{0}, highest = 0;
  for (std::uint32_t i = 0; i < items.size(); ++i) {
    if (items[i].space != space || !takes_part(items[i])) continue;
    order.push_back(i);
    lowest = std::min(lowest, items[i].view.extent.begin);
    highest = std::max(highest, items[i].view.extent.begin);
  }
  const auto begin_of = [&](std::uint32_t i) { return items[i].view.extent.begin; };
  const auto position_bits = static_cast<unsigned>(std::bit_width(items.size()));
  if (static_cast<unsigned>(std::bit_width(highest - lowest)) + position_bits > 64) {
    std::ranges::stable_sort(order, {}, begin_of);
    return order;
  }
  std::vector<std::uint64_t> packed;
  packed.reserve(order.size());
  for (const std::uint32_t i : order) packed.push_back((begin_of(i) - lowest) << position_bits | i);
  sort_by_key(packed, [position_bits](std::uint64_t p) { return p >> position_bits; });
  const std::uint64_t mask = (std::uint64_t{1} << position_bits) - 1;
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<std::uint32_t>(packed[i] & mask);
  return order;
}

}  // namespace dlscope::core
