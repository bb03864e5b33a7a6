// The heat map of the selected tensor: its values as colours, from the whole tensor down to numbers in cells. For any rank: axes
// run down or across, several of them as tiles; others have a slider or are reduced. A picture costs at most its pixels: large
// tensors show a sample at once, reading every value is a task, and the legend always says how much was read.
#pragma once

#include <string>
#include <vector>

#include "app/models/actions/commands.h"
#include "app/models/heatmap/heatmap_pixels.h"
#include "app/models/heatmap/heatmap_range.h"
#include "app/models/heatmap/heatmap_window.h"
#include "app/models/values/special_walk.h"
#include "app/models/values/value_grid.h"
#include "app/panels/frame_context.h"
#include "app/widgets/pixel_texture.h"

namespace dlscope::app {

// The range that the colours stand for.
enum class RangeChoice : std::uint8_t {
  all,               // everything known of the table at this zoom
  in_view,           // the visible part
  symmetric,         // as far below zero as above
  percentile,        // the pixels in view, without a few per cent at each end
  values,            // all values of the tensor
  value_percentile,  // all values, without a few per cent at each end
  natural,           // for an image: black to white by the convention of its dtype
  fixed,             // typed by a person
  count
};

struct HeatmapColours {
  TexelNumber number = TexelNumber::mean;
  ColourMap map = ColourMap::viridis;
  ColourStretch stretch = ColourStretch::linear;
  RangeChoice range = RangeChoice::all;
  double low = 0, high = 1;  // RangeChoice::fixed
  double cut = 2;            // for RangeChoice::percentile: per cent at each end
  double value_cut = 1;      // for RangeChoice::value_percentile: likewise, one of kValueCuts
};

struct HeatmapPanelState {
  std::uint64_t generation = 0;  // with `tensor`: which tensor everything below belongs to
  std::uint32_t tensor = core::kNone32;
  std::uint16_t field = core::kNone16;  // of the tensor: the one that is shown; kNone16: all of it
  std::string name;                     // of what is shown: "x", "x['pos']"
  core::DType dtype;  // of the tensor's numbers
  core::CellAxes axes;
  HeatmapCamera camera;
  bool square = false;  // a cell is as wide as it is high
  HeatmapColours colours;
  // In use while axes.channel is set: shown as an image.
  HeatmapColours image_colours{.range = RangeChoice::natural};
  ChannelOrder order = ChannelOrder::rgb;
  bool alpha = true;            // show a fourth channel as transparency
  std::int64_t channel_at = 0;  // the channel whose element is meant for a pixel
  bool square_before = false;   // the value of `square` before it was an image
  [[nodiscard]] HeatmapColours& shown_colours() { return axes.channel ? image_colours : colours; }
  [[nodiscard]] const HeatmapColours& shown_colours() const { return axes.channel ? image_colours : colours; }
  HeatmapView view;  // of the camera; `known`: how much is known of it
  HeatmapKnown known;
  std::uint64_t asked_exact = 0;  // the person asked to read all values of views with up to so many
  Focus followed;                 // the pinned focus, brought into view once
  std::optional<std::uint64_t> reveal;

  // The state that was painted, so that a frame without changes paints nothing.
  struct Painted {
    // The newest snapshot and a past one have a store each: revisions of one generation are of one store.
    std::uint64_t generation = 0, revision = 0, statistics = 0;
    std::uint32_t tensor = core::kNone32;
    std::uint16_t field = core::kNone16;
    bool known = false;  // the store is about this tensor
    std::int64_t row = 0, column = 0;
    double row_at = 0, column_at = 0, row_px = 0, column_px = 0;
    int width = 0, height = 0;
    double low = 0, high = 0, cut = 0;
    int look = 0;
    friend bool operator==(const Painted&, const Painted&) = default;
  };
  Painted painted;
  PixelTexture texture;
  HeatmapPainter painter;
  NumberRange range;       // of the colours, and the flags of what is in view
  std::string range_said;  // description of a range of all values
  bool range_is_sample = false;
  NumberRange drawn;  // range of everything known at this zoom

  // In the frame that a figure is cut out of, the panel draws text in place of its controls, and nothing for the mouse.
  struct Figure {
    bool wanted = false;
    std::vector<std::string> title;  // lines above the picture, the first one the name
    ImVec2 from, to;                 // its place on the screen; equal: not drawn yet
  };
  Figure figure;
  float head_height = 0;  // height of the controls above the picture in the last frame

  std::vector<std::uint64_t> wanted;  // elements whose values are written into cells
  std::vector<GridCell> numbers;
  ImVec2 cells_from, cells_to;       // the cells' place on the screen
  SpecialWalk walk;                  // from one special value to the next
  std::vector<ValueAnswer> answers;  // set between frames
  std::string said, scale_message;      // the lines below the picture; for tests
  std::string place_said;            // of the pixel under the mouse; for tests
  std::size_t numbers_written = 0;   // in the last frame; for tests
  std::uint64_t paints = 0;          // so far; for tests
};

void draw_heatmap_panel(const FrameContext& context, HeatmapPanelState& state, Commands& commands);

}  // namespace dlscope::app
