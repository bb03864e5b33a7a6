#include "app/models/tensors/memory_map.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <tuple>

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

bool in_map(const core::TensorRecord& tensor) {
  return tensor.has_layout && tensor.space != core::kNoSpace && !tensor.extent.empty();
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

// One pass over the tensors of a space in address order; ends a block where memory begins that no tensor touches.
void fill_lane(MapLane& lane, std::span<MapTensor> tensors, std::uint32_t pool_offset, const core::Snapshot& snapshot) {
  std::size_t first = 0;
  core::Address previous_end = 0;
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
    if (first > 0) lane.units += gap_units(range.begin - previous_end);
    block.unit_begin = lane.units;
    lane.units += block_units(range.size());
    block.unit_end = lane.units;
    block.tensors = {pool_offset + static_cast<std::uint32_t>(first), static_cast<std::uint32_t>(last - first)};
    stack_rows(tensors.subspan(first, last - first), block);
    lane.rows = std::max(lane.rows, block.rows);
    lane.blocks.push_back(block);
    previous_end = range.end;
    first = last;
  }
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
// size.
MapLane with_true_scale(const MapLane& compressed) {
  constexpr double kMaxOfGap = 0.006, kMaxOfGaps = 0.12;  // as parts of all bytes: one gap, all gaps
  MapLane lane = compressed;
  lane.scale = MapScale::true_size;
  double bytes = 0;
  for (const MapBlock& block : lane.blocks) bytes += static_cast<double>(block.range.size());
  const double widest = bytes * std::min(kMaxOfGap, kMaxOfGaps / static_cast<double>(lane.blocks.size()));
  lane.units = 0;
  core::Address end = lane.blocks.empty() ? 0 : lane.blocks.front().range.begin;
  for (MapBlock& block : lane.blocks) {
    lane.units += std::min(static_cast<double>(block.range.begin - end), widest);
    block.unit_begin = lane.units;
    lane.units += static_cast<double>(block.range.size());
    block.unit_end = lane.units;
    end = block.range.end;
  }
  return lane;
}

// The true scale if at least one in kOneOf blocks is wide enough to be seen on a screen.
MapScale default_scale_of(const MapLane& lane) {
  constexpr double kScreen = 1200, kMin = 2;  // pixels
  constexpr std::size_t kOneOf = 3;             // blocks
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
  return tensor.extent.empty() ? "no bytes" : "";
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
    if (in_map(tensor))
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
