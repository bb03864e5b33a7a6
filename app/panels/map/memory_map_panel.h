// The memory map: a lane per address space, groups as bars in address order, empty space folded, overlapping tensors in rows. The
// cost depends on the pixels, not on the number of tensors. Wheel zooms at the cursor, drag pans, F fits, 0 is 1:1.
#pragma once

#include <map>
#include <optional>

#include "app/models/actions/commands.h"
#include "app/models/jobs/cached_value.h"
#include "app/models/map/map_layout.h"
#include "app/panels/frame_context.h"

namespace dlscope::app {

struct LaneState {
  // Everything the picture depends on. (The font follows the scale.)
  struct Seen {
    std::uint64_t generation = 0;
    MapScale scale{};
    LaneView view;
    LaneBox box;
    friend bool operator==(const Seen&, const Seen&) = default;
  };
  LaneView view;
  std::optional<MapScale> scale;  // chosen by a person; else MemoryMap::default_scale
  MapScale seen_scale{};          // in the last frame: a view belongs to one scale
  CachedValue<std::uint64_t, std::string> title;  // by generation
  CachedValue<Seen, LanePicture> picture;
};

struct MemoryMapState {
  std::map<core::DeviceId, LaneState> lanes;  // by whose memory it is, so that a new snapshot does not move the view
  std::uint64_t generation = 0;               // of the index the views were made for
  std::uint32_t reveal = core::kNone32;       // the tensor to bring into view once
  bool fit = false;                           // show everything again, once
  int bars_drawn = 0;                         // in the last frame, for tests
  int shapes_drawn = 0, labels_drawn = 0;     // everything, in the last frame, for tests
  core::ByteRange lit;                        // focused bytes that were marked in the last frame, for tests
};

void draw_memory_map_panel(const FrameContext& context, MemoryMapState& state, Commands& commands);

}  // namespace dlscope::app
