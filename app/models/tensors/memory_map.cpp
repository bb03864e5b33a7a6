#include "app/models/tensors/memory_map.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <tuple>
#include <utility>

#include "app/models/tensors/memory_place.h"
#include "core/inventory/relation.h"

namespace dlscope::app {
namespace {

// Unit widths. A block of one byte is kBlockBase wide, every doubling adds kBlockPerDoubling.
constexpr double kBlockBase = 12;
constexpr double kBlockPerDoubling = 6;
constexpr double kGapBase = 2;
constexpr double kGapPerDoubling = 0.8;

double block_units(std::uint64_t bytes) { return kBlockBase + kBlockPerDoubling * std::log2(static_cast<double>(bytes) + 1); }

double gap_units(std::uint64_t bytes) {
  return bytes == 0 ? 0 : kGapBase + kGapPerDoubling * std::log2(static_cast<double>(bytes));
}

// Gives each tensor of the block the lowest row in which it overlaps no other, and sorts them by row.
void stack_rows(std::span<MapTensor> tensors, MapBlock& block) {
  std::array<core::Address, kMaxMapRows> row_end{};
  for (MapTensor& tensor : tensors) {
    std::uint32_t row = 0;
    while (row < kMaxMapRows && row_end[row] > tensor.extent.begin) ++row;
    tensor.row = row;
    if (row == kMaxMapRows) {
      ++block.hidden;
      continue;
    }
    row_end[row] = tensor.extent.end;
    block.rows = std::max(block.rows, row + 1);
  }
  std::ranges::stable_sort(tensors, {}, &MapTensor::row);
}

// Whether the allocation lives as long as a tensor in it does. What the driver reports may be the pool of a library, of which
// other parts are free, and of a file's mapping nothing is kept in memory by being mapped.
bool is_kept_by_tensors(core::AllocationSource source) {
  return source != core::AllocationSource::driver && source != core::AllocationSource::mapping;
}

// What tensors' allocations cover together, in address order, without overlaps.
struct KeptRange {
  core::ByteRange range;
  core::ByteRange widest;  // the largest single allocation of it
  std::uint32_t tensor = core::kNone32;
};

std::vector<KeptRange> kept_ranges(std::span<const MapTensor> tensors, const core::Snapshot& snapshot) {
  std::vector<KeptRange> all;
  for (const MapTensor& t : tensors) {
    const core::TensorRecord& tensor = snapshot.tensors[t.tensor];
    if (tensor.allocation == core::kNone32 || tensor.allocation == core::kOwnAllocation) continue;
    const core::AllocationRecord& whole = snapshot.allocations[tensor.allocation];
    // One that does not contain its tensor contradicts it: nothing is drawn of that.
    if (!is_kept_by_tensors(whole.source) || !whole.range.holds(t.extent.begin, t.extent.size())) continue;
    if (all.empty() || all.back().range != whole.range) all.push_back({whole.range, whole.range, t.tensor});
  }
  std::ranges::stable_sort(all, {}, [](const KeptRange& kept) { return kept.range.begin; });
  std::size_t last = 0;
  for (std::size_t i = 1; i < all.size(); ++i) {
    if (all[i].range.begin >= all[last].range.end) {
      all[++last] = all[i];
      continue;
    }
    all[last].range.end = std::max(all[last].range.end, all[i].range.end);
    if (all[i].widest.size() > all[last].widest.size()) {
      all[last].widest = all[i].widest;
      all[last].tensor = all[i].tensor;
    }
  }
  if (!all.empty()) all.resize(last + 1);
  return all;
}

// The parts of those ranges that lie between the blocks, before the first and after the last. Their units come later.
void add_unnamed(MapLane& lane, std::span<const KeptRange> kept) {
  std::size_t block = 0;  // the first that ends after `from`
  for (const KeptRange& range : kept) {
    core::Address from = std::max(range.range.begin, block > 0 ? lane.blocks[block - 1].range.end : 0);
    while (block < lane.blocks.size() && lane.blocks[block].range.end <= from) ++block;
    while (from < range.range.end) {
      const bool before_block = block < lane.blocks.size() && lane.blocks[block].range.begin < range.range.end;
      const core::Address to = before_block ? lane.blocks[block].range.begin : range.range.end;
      if (from < to) {
        const bool one = range.widest.begin <= from && to <= range.widest.end;
        lane.unnamed.push_back({.range = {from, to}, .tensor = one ? range.tensor : core::kNone32});
      }
      if (!before_block) break;
      from = lane.blocks[block++].range.end;
    }
  }
}

// Gives blocks, unnamed parts and the empty space between them their units, from left to right.
template <class BlockUnits, class UnnamedUnits, class EmptyUnits>
void place(MapLane& lane, const BlockUnits& block_width, const UnnamedUnits& unnamed_width, const EmptyUnits& empty_width) {
  lane.units = 0;
  std::size_t next = 0;
  core::Address end = 0;
  bool first = true;
  const auto put = [&](auto& part, double width) {
    if (!std::exchange(first, false) && part.range.begin > end) lane.units += empty_width(part.range.begin - end);
    part.unit_begin = lane.units;
    lane.units += width;
    part.unit_end = lane.units;
    end = part.range.end;
  };
  const auto put_unnamed_until = [&](core::Address until) {
    for (; next < lane.unnamed.size() && lane.unnamed[next].range.begin < until; ++next)
      put(lane.unnamed[next], unnamed_width(lane.unnamed[next].range.size()));
  };
  for (MapBlock& block : lane.blocks) {
    put_unnamed_until(block.range.begin);
    put(block, block_width(block.range.size()));
  }
  put_unnamed_until(~core::Address{0});
}

// One pass over the tensors of a space in address order; ends a block where memory begins that no tensor touches.
void fill_lane(MapLane& lane, std::span<MapTensor> tensors, std::uint32_t pool_offset, const core::Snapshot& snapshot) {
  const std::vector<KeptRange> kept = kept_ranges(tensors, snapshot);  // first: stacking changes the order
  std::size_t first = 0;
  while (first < tensors.size()) {
    core::ByteRange range = tensors[first].extent;
    std::size_t last = first + 1;
    while (last < tensors.size() && tensors[last].extent.begin < range.end) {
      range.end = std::max(range.end, tensors[last].extent.end);
      ++last;
    }
    MapBlock block;
    block.range = range;
    block.first_group = snapshot.tensors[tensors[first].tensor].group;
    block.one_group = std::ranges::all_of(tensors.subspan(first, last - first), [&](const MapTensor& t) {
      return snapshot.tensors[t.tensor].group == block.first_group;
    });
    block.tensors = {pool_offset + static_cast<std::uint32_t>(first), static_cast<std::uint32_t>(last - first)};
    stack_rows(tensors.subspan(first, last - first), block);
    lane.rows = std::max(lane.rows, block.rows);
    lane.blocks.push_back(block);
    first = last;
  }
  add_unnamed(lane, kept);
  place(lane, block_units, gap_units, gap_units);
}

// The total is known when every tensor of the lane has a group (unreadable ones have none) and groups cannot share bytes.
void add_group_totals(MapLane& lane, std::span<const MapTensor> tensors, const core::Snapshot& snapshot) {
  lane.distinct_known =
      snapshot.info.open_groups == core::UnknownWhy::none &&
      std::ranges::none_of(tensors, [&](const MapTensor& t) { return snapshot.tensors[t.tensor].group == core::kNone32; });
  for (const core::GroupRecord& group : snapshot.groups) {
    if (group.space != lane.space) continue;
    if (group.distinct_bytes == core::kUnknown64)
      lane.distinct_known = false;
    else
      lane.distinct_bytes += group.distinct_bytes;
  }
}

// The same blocks at one unit per byte. Folded space keeps its size up to a small maximum: it shows that there is a gap, not its
// size. So do unnamed parts, with a larger one: 48 bytes that keep 4 GiB alive would not be seen beside them.
MapLane with_true_scale(const MapLane& compressed) {
  constexpr double kMaxOfGap = 0.006, kMaxOfGaps = 0.12;  // as parts of all bytes of tensors: one gap, all gaps
  constexpr double kMaxOfUnnamed = 0.25, kMaxOfAllUnnamed = 0.5;
  MapLane lane = compressed;
  lane.scale = MapScale::true_size;
  double bytes = 0;
  for (const MapBlock& block : lane.blocks) bytes += static_cast<double>(block.range.size());
  const auto at_most = [](double widest) {
    return [widest](std::uint64_t size) { return std::min(static_cast<double>(size), widest); };
  };
  const auto part = [bytes](double one, double all, std::size_t number) {
    return bytes * std::min(one, all / static_cast<double>(std::max<std::size_t>(number, 1)));
  };
  place(
      lane, [](std::uint64_t size) { return static_cast<double>(size); },
      at_most(part(kMaxOfUnnamed, kMaxOfAllUnnamed, lane.unnamed.size())),
      at_most(part(kMaxOfGap, kMaxOfGaps, lane.blocks.size())));
  return lane;
}

// The true scale if at least one in kOneOf blocks is wide enough to be seen on a screen. Of scripts some blocks are always far
// smaller than the rest (a scalar beside an image): asking for all blocks would never give the true scale. Where two thirds
// cannot be seen, it shows a few bars and hides what one looks for: a large lookup table beside hundreds of small tensors.
MapScale default_scale_of(const MapLane& lane) {
  constexpr double kScreen = 1200;   // pixels that a lane has in a window of usual size; zooming is for narrower ones
  constexpr double kMin = 2;         // pixels: a bar of one is lost between its neighbours' edges
  constexpr std::size_t kOneOf = 3;  // blocks
  const double least = lane.units / kScreen * kMin;
  const auto seen = static_cast<std::size_t>(
      std::ranges::count_if(lane.blocks, [&](const MapBlock& b) { return b.unit_end - b.unit_begin >= least; }));
  return seen * kOneOf >= lane.blocks.size() ? MapScale::true_size : MapScale::compressed;
}

}  // namespace

std::size_t MapLane::block_at_unit(double unit) const {
  const auto found = std::ranges::upper_bound(blocks, unit, {}, &MapBlock::unit_end);
  return static_cast<std::size_t>(found - blocks.begin());
}

std::optional<std::size_t> MapLane::block_at_address(core::Address address) const {
  const auto after = std::ranges::upper_bound(blocks, address, {}, [](const MapBlock& b) { return b.range.begin; });
  if (after == blocks.begin()) return std::nullopt;
  const auto block = std::prev(after);
  if (!block->range.contains(address)) return std::nullopt;
  return static_cast<std::size_t>(block - blocks.begin());
}

std::size_t MapLane::unnamed_at_unit(double unit) const {
  const auto found = std::ranges::upper_bound(unnamed, unit, {}, &MapUnnamed::unit_end);
  return static_cast<std::size_t>(found - unnamed.begin());
}

MapUnnamed MapLane::empty_before(std::size_t i) const {
  const MapBlock& before = blocks[i - 1];
  const MapBlock& after = blocks[i];
  MapUnnamed empty{.range = {before.range.end, after.range.begin}, .unit_begin = before.unit_end, .unit_end = after.unit_begin};
  // Every allocation contains a tensor, so an unnamed part touches a block or another part that does.
  for (std::size_t u = unnamed_at_unit(before.unit_end); u < unnamed.size() && unnamed[u].unit_end <= after.unit_begin; ++u) {
    const MapUnnamed& part = unnamed[u];
    if (part.range.begin == empty.range.begin) {
      empty.range.begin = part.range.end;
      empty.unit_begin = part.unit_end;
    } else {
      empty.range.end = part.range.begin;
      empty.unit_end = part.unit_begin;
      break;
    }
  }
  return empty;
}

std::uint64_t MapLane::unnamed_bytes() const {
  std::uint64_t bytes = 0;
  for (const MapUnnamed& part : unnamed) bytes += part.range.size();
  return bytes;
}

std::span<const MapTensor> MemoryMap::row_of(const MapBlock& block, std::uint32_t row) const {
  const auto all = of(block);
  const auto range = std::ranges::equal_range(all, row, {}, &MapTensor::row);
  return {range.begin(), range.end()};
}

const char* why_without_memory(const core::TensorRecord& tensor) {
  if (tensor.protocol == core::Protocol::none) return "not described";
  if (!tensor.has_layout) return "no valid layout";
  if (tensor.elements == 0) return "no elements";
  if (tensor.space == core::kNoSpace) return "behind a handle";
  if (tensor.data == 0) return "NULL data";
  if (tensor.extent.empty()) return "no bytes";
  return core::is_copy_for_export(tensor) ? "a copy, freed since" : "";
}

double unit_of(const MapBlock& block, core::Address address) {
  const core::Address inside = std::clamp(address, block.range.begin, block.range.end);
  const double part = static_cast<double>(inside - block.range.begin) / static_cast<double>(block.range.size());
  return block.unit_begin + part * (block.unit_end - block.unit_begin);
}

core::Address address_of(const MapBlock& block, double unit) {
  const double part = std::clamp((unit - block.unit_begin) / (block.unit_end - block.unit_begin), 0.0, 1.0);
  const auto offset = static_cast<std::uint64_t>(part * static_cast<double>(block.range.size()));
  return block.range.begin + std::min(offset, block.range.size() - 1);
}

MemoryMap build_memory_map(const core::Snapshot& snapshot, const std::stop_token& stop) {
  MemoryMap map;
  std::map<core::SpaceId, std::vector<MapTensor>> spaces;
  for (std::uint32_t id = 0; id < snapshot.tensors.size(); ++id) {
    const core::TensorRecord& tensor = snapshot.tensors[id];
    if (has_place(tensor))
      spaces[tensor.space].push_back({id, 0, tensor.extent});
    else
      map.without_memory.push_back(id);
  }
  for (auto& [space, tensors] : spaces) {
    if (stop.stop_requested()) return map;
    std::ranges::sort(tensors, [](const MapTensor& a, const MapTensor& b) {
      // The longer one first, so that a view comes above the tensor it is a part of.
      return std::tuple(a.extent.begin, b.extent.size(), a.tensor) < std::tuple(b.extent.begin, a.extent.size(), b.tensor);
    });
    MapLane lane;
    lane.space = space;
    lane.tensors = tensors.size();
    for (const MapTensor& t : tensors) {
      lane.doubted += core::contradiction_about_device(snapshot, snapshot.tensors[t.tensor]) ? 1 : 0;
    }
    fill_lane(lane, tensors, static_cast<std::uint32_t>(map.tensors.size()), snapshot);
    add_group_totals(lane, tensors, snapshot);
    map.tensors.insert(map.tensors.end(), tensors.begin(), tensors.end());
    map.true_lanes.push_back(with_true_scale(lane));
    map.default_scale.push_back(default_scale_of(map.true_lanes.back()));
    map.lanes.push_back(std::move(lane));
  }
  return map;
}

}  // namespace dlscope::app
