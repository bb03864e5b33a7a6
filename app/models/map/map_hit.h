// From a point on a lane of the memory map back to the tensor and the byte that are drawn there.
#pragma once

#include <cstdint>
#include <span>

#include "app/models/focus/focus.h"
#include "app/models/map/lane_view.h"
#include "app/models/tensors/snapshot_index.h"

namespace dlscope::app {

struct LaneHit {
  const MapLane* lane = nullptr;
  std::uint32_t tensor = core::kNone32;  // kNone32: none
  std::size_t block = 0;                 // the block, or the first one behind the empty space
  core::Address address = 0;             // of the byte under the point
  core::ByteRange gap;                   // the empty space, when it is one between two blocks
  std::uint32_t count = 0;               // > 1: so many tensors lie here, too close to tell apart or too deep
  bool deep = false;                     // they are stacked too deep
  bool own_byte = false;                 // the byte is one of the tensor's own
  bool hole = false;                     // it lies between them. Neither: not found out within a frame's work
};

[[nodiscard]] LaneHit hit_lane(const SnapshotIndex& index, const MapLane& lane, const LaneView& view, const LaneBox& box, float x,
                               float y);
// The tensors whose extent holds the byte that was hit, from the uppermost row down, as many as `out` takes; returns how many
// there are, out.size() + 1 standing for "more".
std::size_t tensors_at(const SnapshotIndex& index, const LaneHit& hit, std::span<std::uint32_t> out);
// The focus for what was hit; on nothing in empty space and on many. A hole gives the tensor, no bytes.
[[nodiscard]] Focus focus_of(const SnapshotIndex& index, const LaneHit& hit);

}  // namespace dlscope::app
