#include "app/models/map/map_hit.h"

#include <algorithm>

#include "app/models/focus/focus_text.h"
#include "app/models/jobs/budgets.h"

namespace dlscope::app {
namespace {

constexpr std::size_t kMaxLookedAt = 1000;  // in one frame

// For a point between the blocks.
void hit_between(const MapLane& lane, const LaneAxis& axis, double x, LaneHit& hit) {
  const double unit = axis.unit_at(x);
  const std::size_t unnamed = lane.unnamed_at_unit(unit);
  if (unnamed < lane.unnamed.size() && lane.unnamed[unnamed].unit_begin <= unit) {
    hit.gap = lane.unnamed[unnamed].range;
    hit.unnamed = true;
    hit.owner = lane.unnamed[unnamed].tensor;
  } else if (hit.block > 0 && hit.block < lane.blocks.size()) {
    hit.gap = lane.empty_before(hit.block).range;
  }
}

}  // namespace

LaneHit hit_lane(const SnapshotIndex& index, const MapLane& lane, const LaneView& view, const LaneBox& box, float x, float y) {
  LaneHit hit;
  hit.lane = &lane;
  const LaneAxis axis(lane, view, box);
  const double merge = kMergeBelow * static_cast<double>(box.scale);
  hit.block = axis.block_at(static_cast<double>(x));
  if (lane.blocks.empty()) return hit;
  if (hit.block >= lane.blocks.size()) {
    hit_between(lane, axis, static_cast<double>(x), hit);
    return hit;
  }
  const MapBlock& block = lane.blocks[hit.block];
  const double x0 = axis.x_of(hit.block, block.range.begin);
  const bool narrow = (block.unit_end - block.unit_begin) / axis.units_per_px() < merge;
  if (static_cast<double>(x) < x0 && !(narrow && x0 - static_cast<double>(x) < merge)) {
    hit_between(lane, axis, static_cast<double>(x), hit);
    return hit;
  }
  hit.address = axis.address_at(hit.block, static_cast<double>(x));
  if (narrow) {
    const std::size_t first = std::min(axis.block_at(static_cast<double>(x) - merge / 2), hit.block);
    const std::size_t next = std::clamp(axis.block_at(static_cast<double>(x) + merge / 2), hit.block + 1, lane.blocks.size());
    const MapBlock& last = lane.blocks[next - 1];
    hit.count = last.tensors.first + last.tensors.count - lane.blocks[first].tensors.first;
    if (hit.count > 1) return hit;
  }
  const std::uint32_t rows = shown_rows(block);
  std::uint32_t row = 0;
  while (row + 1 < rows && y >= row_top(box, rows, row + 1)) ++row;
  if (row >= block.rows) {
    hit.count = block.hidden;
    hit.deep = true;
    const auto deep = index.map.row_of(block, kMaxMapRows);
    if (block.hidden == 1 && deep.front().extent.contains(hit.address)) hit.tensor = deep.front().tensor;
    return hit;
  }
  const auto bars = index.map.row_of(block, row);
  const auto bar = std::ranges::upper_bound(bars, hit.address, {}, [](const MapTensor& t) { return t.extent.end; });
  if (bar == bars.end() || !bar->extent.contains(hit.address)) return hit;
  hit.tensor = bar->tensor;
  hit.count = 1;
  const core::TensorRecord& tensor = index.tensor(hit.tensor);
  const auto element = core::find_element_at(index.snapshot->memory_view(tensor), hit.address, budget_per_frame());
  hit.own_byte =
      element.number.has_value() || tensor.contiguity == core::Contiguity::c || tensor.contiguity == core::Contiguity::f;
  hit.hole = !hit.own_byte && element.decided;
  return hit;
}

std::size_t tensors_at(const SnapshotIndex& index, const LaneHit& hit, std::span<std::uint32_t> out) {
  if (hit.lane == nullptr || hit.block >= hit.lane->blocks.size()) return 0;
  const MapBlock& block = hit.lane->blocks[hit.block];
  std::size_t count = 0;
  const auto add = [&](const MapTensor& found) {
    if (count < out.size()) out[count] = found.tensor;
    ++count;
  };
  const auto end_of = [](const MapTensor& t) { return t.extent.end; };
  for (std::uint32_t row = 0; row < block.rows && count <= out.size(); ++row) {
    const auto bars = index.map.row_of(block, row);
    const auto bar = std::ranges::upper_bound(bars, hit.address, {}, end_of);
    if (bar != bars.end() && bar->extent.contains(hit.address)) add(*bar);
  }
  // Tensors stacked too deep may overlap each other: tested one by one, up to a bound.
  std::size_t looked_at = 0;
  for (const MapTensor& deep : index.map.row_of(block, kMaxMapRows)) {
    if (count > out.size()) break;
    if (++looked_at > kMaxLookedAt) return out.size() + 1;
    if (deep.extent.contains(hit.address)) add(deep);
  }
  return count;
}

Focus focus_of(const SnapshotIndex& index, const LaneHit& hit) {
  if (hit.tensor == core::kNone32) return {};
  if (hit.own_byte) return focus_at(index, hit.tensor, hit.address);
  return {.tensor = hit.tensor, .element = std::nullopt, .space = index.tensor(hit.tensor).space, .bytes = {}};
}

}  // namespace dlscope::app
