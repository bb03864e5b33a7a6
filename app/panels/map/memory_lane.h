// One lane of the memory map, drawn: the bars, names and addresses that map_layout.h puts in place, and what the mouse is on.
#pragma once

#include "app/models/map/map_hit.h"
#include "app/models/map/map_layout.h"
#include "app/panels/frame_context.h"

namespace dlscope::app {

// True when the focused bytes lie in the part that is shown, and were marked.
bool draw_lane(const FrameContext& context, const MapLane& lane, const LaneView& view, const LaneBox& box,
               const LanePicture& picture);

void describe_hit(const FrameContext& context, const MapLane& lane, const LaneHit& hit);

}  // namespace dlscope::app
