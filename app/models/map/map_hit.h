// Finds the tensor and the byte that are drawn at a point of a lane of the memory map.
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
  std::size_t block = 0;                 // the block, or in empty space the next one
  core::Address address = 0;             // of the byte under the point
  core::ByteRange gap;                   // the empty space, or unnamed part, when the point is between blocks
  bool unnamed = false;                  // the gap belongs to an allocation that tensors keep alive ...
  std::uint32_t owner = core::kNone32;   // ... to this tensor's, all of it; kNone32: to several together
  std::uint32_t count = 0;               // > 1: the number of tensors here that are too close or too deep to draw apart
  bool deep = false;                     // stacked too deep
  bool own_byte = false;                 // the byte belongs to an element of the tensor
  bool hole = false;                     // the byte is between its elements. Neither is set: not decided within a frame's work
};

[[nodiscard]] LaneHit hit_lane(const SnapshotIndex& index, const MapLane& lane, const LaneView& view, const LaneBox& box, float x,
                               float y);
// The tensors whose extent contains the hit byte, from the top row down, as many as fit into `out`; returns their number, where
// out.size() + 1 means "more".
std::size_t tensors_at(const SnapshotIndex& index, const LaneHit& hit, std::span<std::uint32_t> out);
// The focus for a hit: none for empty space or for several tensors; for a hole the tensor without bytes.
[[nodiscard]] Focus focus_of(const SnapshotIndex& index, const LaneHit& hit);

}  // namespace dlscope::app
