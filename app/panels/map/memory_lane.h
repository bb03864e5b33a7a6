// Draws one lane of the memory map: what map_layout.h has laid out, and what the mouse is on.
#pragma once

#include "app/models/map/map_hit.h"
#include "app/models/map/map_layout.h"
#include "app/panels/frame_context.h"

namespace dlscope::app {

// True when the focused bytes are in the visible part and were marked.
bool draw_lane(const FrameContext& context, const MapLane& lane, const LaneView& view, const LaneBox& box,
               const LanePicture& picture);

void describe_hit(const FrameContext& context, const MapLane& lane, const LaneHit& hit);

}  // namespace dlscope::app
