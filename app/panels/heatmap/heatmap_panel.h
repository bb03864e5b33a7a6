// The heat map of the selected tensor: its values as colours, from the whole of it to numbers in cells. Any rank: axes run down or
// across, several of them as tiles, others stand on sliders or are reduced. A picture never costs more than the pixels it has: a sample
// of large tensors at once, every value as a task, and what was read is always said.
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

// Which numbers the two ends of the colours stand for.
enum class RangeChoice : std::uint8_t {
  all,               // of everything that is known of the table at this zoom
  in_view,           // of what is seen
  symmetric,         // as far below zero as above
  percentile,        // of the pixels in view, without the outermost few
  values,            // of all values of the tensor
  value_percentile,  // of all values, without the outermost few
  natural,           // of an image: what its dtype means by black and white
  fixed,             // as somebody said
  count
};

struct HeatmapColours {
  TexelNumber number = TexelNumber::mean;
  ColourMap map = ColourMap::viridis;
  ColourStretch stretch = ColourStretch::linear;
  RangeChoice range = RangeChoice::all;
  double low = 0, high = 1;  // RangeChoice::fixed
  double cut = 2;            // RangeChoice::percentile: so many percent at either end
  double value_cut = 1;      // RangeChoice::value_percentile: likewise, of kValueCuts
};

struct HeatmapPanelState {
  std::uint64_t generation = 0;  // with `tensor`: which tensor everything below belongs to
  std::uint32_t tensor = core::kNone32;
  std::string name;
  core::CellAxes axes;
  HeatmapCamera camera;
  bool square = false;  // a cell is as wide as it is high
  HeatmapColours colours;
  // As an image while axes.channel is set.
  HeatmapColours image_colours{.range = RangeChoice::natural};
  ChannelOrder order = ChannelOrder::rgb;
  bool alpha = true;            // a fourth channel is what can be seen through
  std::int64_t channel_at = 0;  // of a pixel the element that is meant
  bool square_before = false;   // what `square` was before it was an image
  [[nodiscard]] HeatmapColours& shown_colours() { return axes.channel ? image_colours : colours; }
  [[nodiscard]] const HeatmapColours& shown_colours() const { return axes.channel ? image_colours : colours; }
  HeatmapView view;  // of the camera, with what is known of it
  HeatmapKnown known;
  std::uint64_t asked_exact = 0;  // somebody asked for every value of views with so many
  Focus followed;                 // the pinned focus that was brought into view
  std::optional<std::uint64_t> reveal;

  // What was painted, so that a frame in which nothing changed paints nothing.
  struct Painted {
    std::uint64_t revision = 0, statistics = 0;
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
  NumberRange range;       // the colours' ends, and what is in view besides numbers
  std::string range_said;  // what the ends of a range of all values are
  bool range_is_sample = false;
  NumberRange drawn;  // of everything that is known at this zoom

  // In the frame of a picture with its title: the panel draws text in the place of its controls, and nothing of the mouse.
  struct Figure {
    bool wanted = false;
    std::vector<std::string> title;  // lines above the picture, the first one the name
    ImVec2 from, to;                 // where it was drawn on the screen; nothing yet: `to` is `from`
  };
  Figure figure;
  float head_height = 0;  // of the controls above the picture, in the last frame

  std::vector<std::uint64_t> wanted;  // elements whose numbers are written into cells
  std::vector<GridCell> numbers;
  ImVec2 cells_from, cells_to;       // where the cells lie on the screen
  SpecialWalk walk;                  // from one special value to the next
  std::vector<ValueAnswer> answers;  // put here between frames
  std::string said, scale_said;      // the lines below the picture; for tests
  std::string place_said;            // of the pixel below the mouse; for tests
  std::size_t numbers_written = 0;   // in the last frame; for tests
  std::uint64_t paints = 0;          // so far; for tests
};

void draw_heatmap_panel(const FrameContext& context, HeatmapPanelState& state, Commands& commands);

}  // namespace dlscope::app
