// The visible part of a lane of the memory map, the screen positions of its bytes, and moving in it. Without ImGui.
#pragma once

#include <cstddef>

#include "app/models/tensors/memory_map.h"

namespace dlscope::app {

// The visible part. Its position is relative to a nearby block, so that single bytes are exact however many blocks come before.
// units_per_px 0: the whole lane.
struct LaneView {
  std::size_t block = 0;  // what `offset` is relative to
  double offset = 0;      // units from that block's begin to the left edge; may be negative
  double units_per_px = 0;
  core::Address anchor = 0;  // an address of that block, to find it in the next snapshot

  friend bool operator==(const LaneView&, const LaneView&) = default;
};

// A lane's place on the screen.
struct LaneBox {
  float left = 0, top = 0, width = 1, height = 1;
  float line = 15;  // height of a line of text
  float scale = 1;
  float ruler = 0;  // height of the ruler with addresses, at the bottom; 0: none

  [[nodiscard]] float right() const { return left + width; }
  [[nodiscard]] float bars_bottom() const { return top + height - ruler; }
  friend bool operator==(const LaneBox&, const LaneBox&) = default;
};

// Blocks and bars narrower than this, in pixels at 100 %, are drawn as one.
inline constexpr double kMergeBelow = 3;

// The number of rows a block is drawn in: its own and, when tensors are stacked too deep, one more for those.
[[nodiscard]] std::uint32_t shown_rows(const MapBlock& block);
// The upper edge of a row; for `row == rows` the lower edge of the last one.
[[nodiscard]] float row_top(const LaneBox& box, std::uint32_t rows, std::uint32_t row);

// Positions of bytes on the screen, and back.
class LaneAxis {
 public:
  LaneAxis(const MapLane& lane, const LaneView& view, const LaneBox& box);

  [[nodiscard]] double x_of(std::size_t block, core::Address address) const;  // clamped when far outside
  [[nodiscard]] double px_per_byte(std::size_t block) const;
  // Of folded space, which has no bytes to be exact for; clamped when far outside.
  [[nodiscard]] double x_of_unit(double unit) const;
  [[nodiscard]] double unit_at(double x) const;
  [[nodiscard]] std::size_t first_block() const;       // the first that ends right of the left edge
  [[nodiscard]] std::size_t block_at(double x) const;  // the first that ends right of x; blocks.size(): none
  [[nodiscard]] core::Address address_at(std::size_t block, double x) const;  // clamped to the block
  [[nodiscard]] double units_per_px() const { return units_per_px_; }
  [[nodiscard]] double offset() const { return offset_; }
  [[nodiscard]] const MapLane& lane() const { return lane_; }

 private:
  [[nodiscard]] double begin_of(std::size_t block) const;  // relative to the view's block
  const MapLane& lane_;
  const LaneBox& box_;
  std::size_t anchor_ = 0;
  double offset_ = 0, units_per_px_ = 1;
};

// All of these keep the view inside the lane. x: pixels from the left edge of the box.
void zoom_view(const MapLane& lane, LaneView& view, const LaneBox& box, float x, double factor);
void pan_view(const MapLane& lane, LaneView& view, const LaneBox& box, float pixels);
// Shows the bytes with a margin on both sides.
void show_bytes(const MapLane& lane, LaneView& view, const LaneBox& box, core::ByteRange bytes);
// One byte per pixel, keeping what is at x.
void one_to_one(const MapLane& lane, LaneView& view, const LaneBox& box, float x);
// After a new snapshot: the same place, if it still exists.
void find_again(const MapLane& lane, LaneView& view);
[[nodiscard]] bool is_visible(const MapLane& lane, const LaneView& view, const LaneBox& box, core::ByteRange bytes);

}  // namespace dlscope::app
