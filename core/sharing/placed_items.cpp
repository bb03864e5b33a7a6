#include "core/sharing/placed_items.h"

#include <algorithm>
#include <bit>
#include <cstddef>

#include "core/base/radix_sort.h"

namespace dlscope::core {
namespace {

// After so many items, which take less than a millisecond, the stop token is looked at.
constexpr std::size_t kItemsPerLook = 4096;

bool takes_part(const SharingItem& item) { return item.space != kNoSpace && !item.view.extent.empty(); }

// The rank of each item's id among all ids, for ids that are not ascending. (If they are, the rank is the item's index.)
std::vector<std::uint32_t> ranks_of(std::span<const SharingItem> items) {
  std::vector<std::uint64_t> order(items.size());
  for (std::size_t i = 0; i < items.size(); ++i) order[i] = std::uint64_t{items[i].id} << 32 | i;
  std::ranges::sort(order);
  std::vector<std::uint32_t> ranks(items.size());
  for (std::uint32_t rank = 0; rank < order.size(); ++rank) ranks[static_cast<std::uint32_t>(order[rank])] = rank;
  return ranks;
}

// Sorts indices of views by begin. Key and index are packed into one word if they fit, which halves the memory to move; they do
// unless the views lie more than about 2^47 bytes apart.
void sort_by_begin(std::vector<std::uint32_t>& numbers, std::span<const PlacedView> views) {
  Address lowest = ~Address{0}, highest = 0;
  for (const std::uint32_t i : numbers) {
    lowest = std::min(lowest, views[i].extent.begin);
    highest = std::max(highest, views[i].extent.begin);
  }
  const auto number_bits = static_cast<unsigned>(std::bit_width(views.size()));
  if (numbers.empty() || static_cast<unsigned>(std::bit_width(highest - lowest)) + number_bits > 64) {
    std::ranges::stable_sort(numbers, {}, [&](std::uint32_t i) { return views[i].extent.begin; });
    return;
  }
  std::vector<std::uint64_t> packed;
  packed.reserve(numbers.size());
  for (const std::uint32_t i : numbers) packed.push_back((views[i].extent.begin - lowest) << number_bits | i);
  sort_by_key(packed, [number_bits](std::uint64_t p) { return p >> number_bits; });
  const std::uint64_t mask = (std::uint64_t{1} << number_bits) - 1;
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<std::uint32_t>(packed[i] & mask);
}

class Placing {
 public:
  Placing(std::span<const SharingItem> items, const std::stop_token& stop) : items_(items), stop_(stop) {}

  std::optional<PlacedItems> run() {
    if (!normalise()) return std::nullopt;
    out_.views.reserve(views_.size());
    out_.clusters.reserve(views_.size());
    std::ranges::sort(spaces_);
    spaces_.erase(std::ranges::unique(spaces_).begin(), spaces_.end());
    for (const SpaceId space : spaces_) {
      if (!find_clusters(space)) return std::nullopt;
    }
    return std::move(out_);
  }

 private:
  [[nodiscard]] bool stopped_at(std::size_t number) const {
    return number % kItemsPerLook == kItemsPerLook - 1 && stop_.stop_requested();
  }

  // False: stopped.
  bool normalise() {
    views_.resize(items_.size());
    out_.axes.reserve(3 * items_.size());
    AxisStorage storage;
    bool ascend = true;
    for (std::uint32_t i = 0; i < items_.size(); ++i) {
      if (stopped_at(i)) return false;
      const SharingItem& item = items_[i];
      PlacedView& view = views_[i];
      view.id = item.id;
      view.rank = i;
      ascend = ascend && (i == 0 || views_[i - 1].id <= item.id);
      if (!takes_part(item)) continue;
      if (spaces_.empty() || spaces_.back() != item.space) spaces_.push_back(item.space);
      view.extent = item.view.extent;
      view.distinct_bytes = item.distinct_bytes;
      take_set(bytes_of(item.view, storage), view);
    }
    if (ascend) return true;
    const std::vector<std::uint32_t> ranks = ranks_of(items_);
    for (std::size_t i = 0; i < views_.size(); ++i) views_[i].rank = ranks[i];
    return true;
  }

  void take_set(const StridedSet& set, PlacedView& view) {
    view.first_axis = static_cast<std::uint32_t>(out_.axes.size());
    view.axis_count = static_cast<std::uint8_t>(set.axes.size());
    view.unit_bits = static_cast<std::uint8_t>(set.unit_bits);
    view.phase = static_cast<std::uint8_t>(set.phase);
    view.nested = set.nested;
    out_.axes.insert(out_.axes.end(), set.axes.begin(), set.axes.end());
    if (view.distinct_bytes == kUnknownBytes) view.distinct_bytes = count_bytes_if_nested(set).value_or(kUnknownBytes);
  }

  // False: stopped.
  bool find_clusters(SpaceId space) {
    std::vector<std::uint32_t> order;
    order.reserve(views_.size());
    for (std::uint32_t i = 0; i < views_.size(); ++i) {
      if (!views_[i].extent.empty() && (spaces_.size() == 1 || items_[i].space == space)) order.push_back(i);
    }
    sort_by_begin(order, views_);
    Address end = 0;
    for (std::size_t i = 0; i < order.size(); ++i) {
      if (stopped_at(i)) return false;
      constexpr std::size_t kAhead = 24;
      if (i + kAhead < order.size()) __builtin_prefetch(&views_[order[i + kAhead]]);
      const PlacedView& view = out_.views.emplace_back(views_[order[i]]);
      const ByteRange extent = view.extent;
      if (i == 0 || extent.begin >= end)
        out_.clusters.push_back({.first = static_cast<std::uint32_t>(out_.views.size() - 1), .space = space});
      ++out_.clusters.back().count;
      end = i == 0 ? extent.end : std::max(end, extent.end);
    }
    return true;
  }

  std::span<const SharingItem> items_;
  const std::stop_token& stop_;
  std::vector<PlacedView> views_;  // by item; an item that does not take part has an empty extent
  std::vector<SpaceId> spaces_;    // of the items that take part
  PlacedItems out_;
};

}  // namespace

std::optional<PlacedItems> place_items(std::span<const SharingItem> items, const std::stop_token& stop) {
  return Placing(items, stop).run();
}

}  // namespace dlscope::core
