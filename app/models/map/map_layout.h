// Lays out a lane of the memory map: bars, folded space, names, element numbers and addresses as plain rectangles. Without ImGui;
// the cost depends on the pixels, not on the number of tensors.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "app/models/map/lane_view.h"
#include "app/models/tensors/snapshot_index.h"

namespace dlscope::app {

struct MapShape {
  enum class Kind : std::uint8_t {
    bar,     // one tensor without holes
    sparse,  // one tensor with holes: its extent, drawn pale; its own bytes follow as `run`s where they can be drawn apart
    run,     // bytes of the preceding sparse tensor
    many,    // several tensors too close to draw apart
    deep,    // tensors stacked too deep for their own rows
    branch,  // an outline around many tensors of one branch of the name paths
    unnamed  // memory of an allocation that no tensor touches; `tensor` may be one that keeps it alive
  };
  Kind kind = Kind::bar;
  float x0 = 0, y0 = 0, x1 = 0, y1 = 0;
  std::uint32_t tensor = core::kNone32;  // of several: the first one
  std::uint32_t count = 1;
  bool one_group = true;  // of several: all may have the colour of that group
};

struct MapLabel {
  enum class Kind : std::uint8_t { name, element, gap, deep, address, branch, unnamed };
  Kind kind = Kind::name;
  float x = 0, y = 0, width = 0;
  float size = 0;  // line height of its text; smaller than the box's in low rows
  std::uint32_t tensor = core::kNone32;
  std::uint32_t text_begin = 0, text_size = 0;  // in LanePicture::texts
};

// An element wide enough to show its bytes: the caller, who can read memory, writes them.
struct MapCell {
  std::uint32_t tensor = core::kNone32;
  std::uint64_t element = 0;
  core::ByteRange bytes;                  // the visible ones of the element
  float x0 = 0, y0 = 0, x1 = 0, y1 = 0;   // below the element's number
  float byte_width = 0;
};

// A bar that stands for several tensors too close to draw apart.
struct MergedBar {
  float x0 = 0, x1 = 0;
  std::uint32_t first = 0, count = 0;  // index into MemoryMap::tensors
};

struct LanePicture {
  std::vector<MapShape> shapes;
  std::vector<MapCell> cells;
  std::vector<MapLabel> labels;
  std::vector<float> cuts;   // x of the borders between elements or bytes, drawn over the whole height
  std::vector<float> ticks;  // x of the ruler's addresses
  std::vector<MergedBar> merged;
  std::vector<std::string_view> branches;  // of the merged bars; a reused buffer
  std::string texts;         // of all labels, concatenated

  [[nodiscard]] std::string_view text(const MapLabel& label) const {
    return std::string_view(texts).substr(label.text_begin, label.text_size);
  }
};

using TextWidth = std::function<float(std::string_view)>;

// Fills `out`, which is cleared first and keeps its memory.
void lay_out_lane(const SnapshotIndex& index, const MapLane& lane, const LaneView& view, const LaneBox& box,
                  const TextWidth& width, LanePicture& out);

}  // namespace dlscope::app
