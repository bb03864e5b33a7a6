// One lane of the memory map: drawing it, and finding what lies under a point of it.
#pragma once

#include <imgui.h>

#include <cstddef>
#include <cstdint>

#include "app/panels/frame_context.h"

namespace dlscope::app {

// A lane on the screen: pixel rectangle, and the stretch of its unit axis that it shows.
struct LaneGeometry {
  ImVec2 from, to;
  double begin = 0;
  double units_per_px = 1;

  [[nodiscard]] float width() const { return to.x - from.x; }
  [[nodiscard]] double unit_at(float x) const { return begin + static_cast<double>(x - from.x) * units_per_px; }
  // Clamped a little outside the rectangle, so that far away edges stay harmless numbers.
  [[nodiscard]] float x_of(double unit) const;
};

struct LaneHit {
  std::uint32_t tensor = core::kNone32;  // kNone32: empty space
  std::size_t block = 0;                 // the block, or the first one behind the empty space
  core::Address address = 0;             // of the byte under the point
  core::ByteRange gap;                   // the empty space, when it is one between two blocks
};

// Returns the number of bars drawn: at most proportional to the lane's pixels.
int draw_lane(const FrameContext& context, const MapLane& lane, const LaneGeometry& geometry);

[[nodiscard]] LaneHit hit_test(const SnapshotIndex& index, const MapLane& lane, const LaneGeometry& geometry, ImVec2 point);
[[nodiscard]] Focus hover_of(const SnapshotIndex& index, const LaneHit& hit);
void describe_hit(const FrameContext& context, const LaneHit& hit);
void describe_gap(const LaneHit& hit);

}  // namespace dlscope::app
