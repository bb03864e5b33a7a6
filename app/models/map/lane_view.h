// Which part of a lane of the memory map is seen, where its bytes lie on the screen, and how one moves in it. Without ImGui.
#pragma once

#include <cstddef>

#include "app/models/tensors/memory_map.h"

namespace dlscope::app {

// Which part of a lane is seen. Relative to a block near by, so that single bytes of a block of any size stay exact however
// many blocks lie before it. units_per_px 0: the whole lane.
struct LaneView {
  std::size_t block = 0;  // what `offset` is relative to
  double offset = 0;      // units from that block's begin to the left edge; may be negative
  double units_per_px = 0;
  core::Address anchor = 0;  // an address of that block: finds it again in the next snapshot

  friend bool operator==(const LaneView&, const LaneView&) = default;
};

// A lane's place on the screen.
struct LaneBox {
  float left = 0, top = 0, width = 1, height = 1;
  float line = 15;  // height of a line of text
  float scale = 1;
  float ruler = 0;  // of the height, at the bottom, for addresses; 0: none

  [[nodiscard]] float right() const { return left + width; }
  [[nodiscard]] float bars_bottom() const { return top + height - ruler; }
  friend bool operator==(const LaneBox&, const LaneBox&) = default;
};

// Narrower blocks and bars, in pixels at 100 %, are drawn together.
inline constexpr double kMergeBelow = 3;

// The rows a block is drawn in: its own and, when some tensors lie too deep, one more for those.
[[nodiscard]] std::uint32_t shown_rows(const MapBlock& block);
// The upper edge of a row; of the one after the last: the lower edge of that.
[[nodiscard]] float row_top(const LaneBox& box, std::uint32_t rows, std::uint32_t row);

// Positions of bytes on the screen, and back.
class LaneAxis {
 public:
  LaneAxis(const MapLane& lane, const LaneView& view, const LaneBox& box);

  [[nodiscard]] double x_of(std::size_t block, core::Address address) const;  // far outside is clamped
  [[nodiscard]] double px_per_byte(std::size_t block) const;
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

// All of them leave the view inside the lane. x: pixels from the left edge of the box.
void zoom_view(const MapLane& lane, LaneView& view, const LaneBox& box, float x, double factor);
void pan_view(const MapLane& lane, LaneView& view, const LaneBox& box, float pixels);
// Shows the bytes with a margin beside them.
void show_bytes(const MapLane& lane, LaneView& view, const LaneBox& box, core::ByteRange bytes);
// One byte is one pixel, around x.
void one_to_one(const MapLane& lane, LaneView& view, const LaneBox& box, float x);
// A new snapshot: the same place again, when there still is one.
void find_again(const MapLane& lane, LaneView& view);
[[nodiscard]] bool is_visible(const MapLane& lane, const LaneView& view, const LaneBox& box, core::ByteRange bytes);

}  // namespace dlscope::app
