#include "app/models/map/lane_view.h"

#include <algorithm>
#include <cmath>

namespace dlscope::app {
namespace {

constexpr double kOutside = 64;        // pixels that positions may lie outside of the box
constexpr double kMaxPxPerByte = 96;  // the zoom limit

double whole(const MapLane& lane, const LaneBox& box) { return std::max(lane.units, 1.0) / static_cast<double>(box.width); }

double units_of(const MapBlock& block) { return block.unit_end - block.unit_begin; }

double least_units_per_px(const MapBlock& block, const LaneBox& box) {
  return units_of(block) / static_cast<double>(block.range.size()) / (kMaxPxPerByte * static_cast<double>(box.scale));
}

// Clamps the view to the ends of the lane.
void settle(const MapLane& lane, LaneView& view, const LaneBox& box) {
  if (lane.blocks.empty() || view.units_per_px <= 0) return;
  if (view.units_per_px >= whole(lane, box)) {
    view = {};
    return;
  }
  const double width = view.units_per_px * static_cast<double>(box.width);
  // Positions are exact for the block in the middle.
  const double middle = lane.blocks[view.block].unit_begin + view.offset + width / 2;
  const std::size_t near = std::min(lane.block_at_unit(middle), lane.blocks.size() - 1);
  if (near != view.block) {
    view.offset += lane.blocks[view.block].unit_begin - lane.blocks[near].unit_begin;
    view.block = near;
  }
  const double base = lane.blocks[view.block].unit_begin;
  view.offset = std::clamp(view.offset, -base, std::max(-base, lane.units - width - base));
  view.anchor = lane.blocks[view.block].range.begin;
}

void open(const MapLane& lane, LaneView& view, const LaneBox& box) {
  if (view.units_per_px <= 0 || view.block >= lane.blocks.size())
    view = {.offset = -lane.blocks.front().unit_begin, .units_per_px = whole(lane, box)};
}

}  // namespace

std::uint32_t shown_rows(const MapBlock& block) { return block.rows + (block.hidden > 0 ? 1 : 0); }

float row_top(const LaneBox& box, std::uint32_t rows, std::uint32_t row) {
  const float pad = std::floor(2 * box.scale);
  const float height = (box.bars_bottom() - box.top - pad * 2) / static_cast<float>(rows);
  return std::floor(box.top + pad + height * static_cast<float>(row));
}

// --- the axis ---------------------------------------------------------------------------------------------------------

LaneAxis::LaneAxis(const MapLane& lane, const LaneView& view, const LaneBox& box) : lane_(lane), box_(box) {
  const bool all = view.units_per_px <= 0 || view.block >= lane.blocks.size();
  anchor_ = all ? 0 : view.block;
  // Unnamed memory may lie before the first block.
  offset_ = !all ? view.offset : lane.blocks.empty() ? 0 : -lane.blocks.front().unit_begin;
  units_per_px_ = all ? whole(lane, box) : view.units_per_px;
}

double LaneAxis::begin_of(std::size_t block) const {
  return block == anchor_ ? 0 : lane_.blocks[block].unit_begin - lane_.blocks[anchor_].unit_begin;
}

double LaneAxis::x_of(std::size_t number, core::Address address) const {
  const MapBlock& block = lane_.blocks[number];
  const core::Address inside = std::clamp(address, block.range.begin, block.range.end);
  const double part = static_cast<double>(inside - block.range.begin) / static_cast<double>(block.range.size());
  const double x = (begin_of(number) + part * units_of(block) - offset_) / units_per_px_;
  return static_cast<double>(box_.left) + std::clamp(x, -kOutside, static_cast<double>(box_.width) + kOutside);
}

double LaneAxis::x_of_unit(double unit) const {
  const double x = (unit - lane_.blocks[anchor_].unit_begin - offset_) / units_per_px_;
  return static_cast<double>(box_.left) + std::clamp(x, -kOutside, static_cast<double>(box_.width) + kOutside);
}

double LaneAxis::unit_at(double x) const {
  return lane_.blocks[anchor_].unit_begin + offset_ + (x - static_cast<double>(box_.left)) * units_per_px_;
}

double LaneAxis::px_per_byte(std::size_t number) const {
  const MapBlock& block = lane_.blocks[number];
  return units_of(block) / static_cast<double>(block.range.size()) / units_per_px_;
}

std::size_t LaneAxis::first_block() const { return block_at(static_cast<double>(box_.left)); }

std::size_t LaneAxis::block_at(double x) const {
  if (lane_.blocks.empty()) return 0;
  const double unit = offset_ + (x - static_cast<double>(box_.left)) * units_per_px_;
  if (unit >= 0 && unit < units_of(lane_.blocks[anchor_])) return anchor_;
  return lane_.block_at_unit(unit + lane_.blocks[anchor_].unit_begin);
}

core::Address LaneAxis::address_at(std::size_t number, double x) const {
  const MapBlock& block = lane_.blocks[number];
  const double unit = offset_ + (x - static_cast<double>(box_.left)) * units_per_px_ - begin_of(number);
  const double part = std::clamp(unit / units_of(block), 0.0, 1.0);
  const auto offset = static_cast<std::uint64_t>(part * static_cast<double>(block.range.size()));
  return block.range.begin + std::min(offset, block.range.size() - 1);
}

// --- moving -----------------------------------------------------------------------------------------------------------

void zoom_view(const MapLane& lane, LaneView& view, const LaneBox& box, float x, double factor) {
  if (lane.blocks.empty()) return;
  open(lane, view, box);
  const LaneAxis axis(lane, view, box);
  // Exact for the block under the mouse, where the zoom is centred.
  const std::size_t near = std::min(axis.block_at(static_cast<double>(box.left + x)), lane.blocks.size() - 1);
  if (near != view.block) view.offset += lane.blocks[view.block].unit_begin - lane.blocks[near].unit_begin;
  view.block = near;
  const double under = view.offset + view.units_per_px * static_cast<double>(x);
  view.units_per_px = std::max(view.units_per_px * factor, least_units_per_px(lane.blocks[near], box));
  view.offset = under - view.units_per_px * static_cast<double>(x);
  settle(lane, view, box);
}

void pan_view(const MapLane& lane, LaneView& view, const LaneBox& box, float pixels) {
  if (view.units_per_px <= 0 || view.block >= lane.blocks.size()) return;
  view.offset -= static_cast<double>(pixels) * view.units_per_px;
  settle(lane, view, box);
}

void show_bytes(const MapLane& lane, LaneView& view, const LaneBox& box, core::ByteRange bytes) {
  const auto block = lane.block_at_address(bytes.begin);
  if (!block || bytes.empty()) return;
  const MapBlock& in = lane.blocks[*block];
  const double per_byte = units_of(in) / static_cast<double>(in.range.size());
  const double from = per_byte * static_cast<double>(bytes.begin - in.range.begin),
               length = per_byte * static_cast<double>(bytes.size());
  const double margin = length * 0.15;
  view.block = *block;
  view.units_per_px = std::max((length + margin * 2) / static_cast<double>(box.width), least_units_per_px(in, box));
  view.offset = from + length / 2 - view.units_per_px * static_cast<double>(box.width) / 2;
  settle(lane, view, box);
}

void one_to_one(const MapLane& lane, LaneView& view, const LaneBox& box, float x) {
  if (lane.blocks.empty()) return;
  open(lane, view, box);
  const LaneAxis axis(lane, view, box);
  const std::size_t near = std::min(axis.block_at(static_cast<double>(box.left + x)), lane.blocks.size() - 1);
  const MapBlock& block = lane.blocks[near];
  zoom_view(lane, view, box, x, units_of(block) / static_cast<double>(block.range.size()) / view.units_per_px);
}

void find_again(const MapLane& lane, LaneView& view) {
  if (view.units_per_px <= 0) return;
  const auto block = lane.block_at_address(view.anchor);
  if (block)
    view.block = *block;
  else
    view = {};
}

bool is_visible(const MapLane& lane, const LaneView& view, const LaneBox& box, core::ByteRange bytes) {
  const auto block = lane.block_at_address(bytes.begin);
  if (!block) return false;
  const LaneAxis axis(lane, view, box);
  return axis.x_of(*block, bytes.end) > static_cast<double>(box.left) &&
         axis.x_of(*block, bytes.begin) < static_cast<double>(box.right());
}

}  // namespace dlscope::app
