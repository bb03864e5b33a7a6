// How a lane of the memory map is put on the screen: bars, folded space, names, element numbers and addresses as plain
// rectangles. Without ImGui; what it costs follows the pixels, not the tensors.
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
    bar,     // one tensor, all its bytes
    sparse,  // one tensor with holes: its extent, drawn pale; its own bytes follow as `run`s where they can be told apart
    run,     // bytes of the sparse tensor before it
    many,    // several tensors too close to tell apart
    deep,    // tensors stacked too deep for a row of their own
    branch,  // around many of one branch of the name paths: an outline over them
  };
  Kind kind = Kind::bar;
  float x0 = 0, y0 = 0, x1 = 0, y1 = 0;
  std::uint32_t tensor = core::kNone32;  // the first of many
  std::uint32_t count = 1;
  bool one_group = true;  // of many: whether they may have their group's colour
};

struct MapLabel {
  enum class Kind : std::uint8_t { name, element, gap, deep, address, branch };
  Kind kind = Kind::name;
  float x = 0, y = 0, width = 0;
  float size = 0;  // height of its letters' line; smaller than the box's in low rows
  std::uint32_t tensor = core::kNone32;
  std::uint32_t text_begin = 0, text_size = 0;  // in LanePicture::texts
};

// An element that is wide enough for its bytes to be told apart: the caller, who can read memory, writes them in.
struct MapCell {
  std::uint32_t tensor = core::kNone32;
  std::uint64_t element = 0;
  core::ByteRange bytes;                  // of the element, as far as they are seen
  float x0 = 0, y0 = 0, x1 = 0, y1 = 0;   // below the element's number
  float byte_width = 0;
};

// A bar that stands for tensors too close to tell apart.
struct MergedBar {
  float x0 = 0, x1 = 0;
  std::uint32_t first = 0, count = 0;  // into the map's tensors
};

struct LanePicture {
  std::vector<MapShape> shapes;
  std::vector<MapCell> cells;
  std::vector<MapLabel> labels;
  std::vector<float> cuts;   // x of borders between elements or bytes, over the whole height
  std::vector<float> ticks;  // x of the ruler's addresses
  std::vector<MergedBar> merged;
  std::vector<std::string_view> branches;  // of the merged bars; room that is used again
  std::string texts;         // of all labels, one behind the other

  [[nodiscard]] std::string_view text(const MapLabel& label) const {
    return std::string_view(texts).substr(label.text_begin, label.text_size);
  }
};

using TextWidth = std::function<float(std::string_view)>;

// Fills `out`, which is emptied first and keeps its room.
void lay_out_lane(const SnapshotIndex& index, const MapLane& lane, const LaneView& view, const LaneBox& box,
                  const TextWidth& width, LanePicture& out);

}  // namespace dlscope::app
