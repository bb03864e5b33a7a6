// How a lane of the memory map is put on the screen: bars, folded space, names, element numbers and addresses as plain
// rectangles, and the way back from a point to a byte. Without ImGui; what it costs follows the pixels, not the tensors.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/models/focus.h"
#include "app/models/memory_map.h"
#include "app/models/snapshot_index.h"

namespace dlscope::app {

// Which part of a lane is seen. Relative to a block near by, so that single bytes of a block of any size stay exact however
// many blocks lie before it. units_per_px 0: the whole lane.
struct LaneView {
  std::size_t block = 0;  // what `offset` is relative to
  double offset = 0;      // units from that block's begin to the left edge; may be negative
  double units_per_px = 0;
  core::Address anchor = 0;  // an address of that block: finds it again in the next snapshot
};

// A lane's place on the screen.
struct LaneBox {
  float left = 0, top = 0, width = 1, height = 1;
  float line = 15;  // height of a line of text
  float scale = 1;
  float ruler = 0;  // of the height, at the bottom, for addresses; 0: none

  [[nodiscard]] float right() const { return left + width; }
  [[nodiscard]] float bars_bottom() const { return top + height - ruler; }
};

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

struct MapShape {
  enum class Kind : std::uint8_t {
    bar,     // one tensor, all its bytes
    sparse,  // one tensor with holes: its extent, drawn pale; its own bytes follow as `run`s where they can be told apart
    run,     // bytes of the sparse tensor before it
    many,    // several tensors too close to tell apart
    deep,    // tensors stacked too deep for a row of their own
  };
  Kind kind = Kind::bar;
  float x0 = 0, y0 = 0, x1 = 0, y1 = 0;
  std::uint32_t tensor = core::kNone32;  // the first of many
  std::uint32_t count = 1;
  bool one_group = true;  // of many: whether they may have their group's colour
};

struct MapLabel {
  enum class Kind : std::uint8_t { name, element, gap, deep, address };
  Kind kind = Kind::name;
  float x = 0, y = 0, width = 0;
  std::uint32_t tensor = core::kNone32;
  std::string text;
};

struct LanePicture {
  std::vector<MapShape> shapes;
  std::vector<MapLabel> labels;
  std::vector<float> cuts;   // x of borders between elements or bytes, over the whole height
  std::vector<float> ticks;  // x of the ruler's addresses
};

using TextWidth = std::function<float(std::string_view)>;

// Fills `out`, which is emptied first and keeps its room.
void lay_out_lane(const SnapshotIndex& index, const MapLane& lane, const LaneView& view, const LaneBox& box,
                  const TextWidth& width, LanePicture& out);

struct LaneHit {
  std::uint32_t tensor = core::kNone32;  // kNone32: none
  std::size_t block = 0;                 // the block, or the first one behind the empty space
  core::Address address = 0;             // of the byte under the point
  core::ByteRange gap;                   // the empty space, when it is one between two blocks
  std::uint32_t count = 0;               // > 1: so many tensors lie here, too close to tell apart or too deep
  bool own_byte = false;                 // the byte is one of the tensor's own, not in a hole between them
};

[[nodiscard]] LaneHit hit_lane(const SnapshotIndex& index, const MapLane& lane, const LaneView& view, const LaneBox& box, float x,
                               float y);
// The focus for what was hit; on nothing in empty space and on many. A hole gives the tensor, no bytes.
[[nodiscard]] Focus focus_of(const SnapshotIndex& index, const LaneHit& hit);

}  // namespace dlscope::app
