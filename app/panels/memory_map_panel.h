// The memory map: a lane per address space, groups as bars in address order, empty space folded, tensors stacked where
// they lie over each other. Costs the pixels, not the tensors. Wheel zooms at the cursor, drag pans, F fits.
#pragma once

#include <map>

#include "app/models/commands.h"
#include "app/panels/frame_context.h"

namespace dlscope::app {

// Which part of a lane is seen. units_per_px 0: all of it.
struct LaneView {
  double begin = 0;
  double units_per_px = 0;
};

struct MemoryMapState {
  std::map<core::SpaceId, LaneView> lanes;  // kept by space, so that a new snapshot does not move the view
  std::uint32_t reveal = core::kNone32;     // bring this tensor into view, once
  bool fit = false;                         // show everything again, once
  int bars_drawn = 0;                       // in the last frame, for tests
};

void draw_memory_map_panel(const FrameContext& context, MemoryMapState& state, Commands& commands);

}  // namespace dlscope::app
