// One picture of the compare view: A, B, or their difference, with what its colours mean and what it was computed on.
#pragma once

#include <cstdint>
#include <string>

#include "app/models/actions/commands.h"
#include "app/models/heatmap/heatmap_pixels.h"
#include "app/models/layout/axis_mapping.h"
#include "app/panels/frame_context.h"
#include "app/panels/heatmap/picture_frame.h"
#include "app/widgets/pixel_texture.h"

namespace dlscope::app {

struct ComparisonPane {
  AxisMapping mapping;  // its slice
  core::CellAxes axes;  // the same for those who read
  HeatmapCamera camera;
  HeatmapView view;  // of the camera, with what is known of it
  HeatmapKnown known;
  std::uint64_t asked_exact = 0;  // somebody asked for every value of views with so many
  NumberRange drawn;              // of everything that is known at this zoom
  NumberRange range;              // the colours' ends

  // What was painted, so that a frame in which nothing changed paints nothing.
  struct Painted {
    std::uint64_t revision = 0;
    std::int64_t row = 0, column = 0;
    double row_at = 0, column_at = 0, row_px = 0, column_px = 0, low = 0, high = 0;
    int width = 0, height = 0, look = 0;
    friend bool operator==(const Painted&, const Painted&) = default;
  };
  Painted painted;
  PixelTexture texture;
  HeatmapPainter painter;
  std::vector<std::uint64_t> wanted;  // elements whose numbers are written into cells
  std::vector<GridCell> numbers;
  ImVec2 cells_from, cells_to;  // where the cells lie on the screen
  std::string said;             // the line below the picture
};

// How the numbers of a difference are shown.
struct DifferenceLook {
  core::DifferenceKind kind = core::DifferenceKind::difference;
  ColourStretch stretch = ColourStretch::linear;
};
[[nodiscard]] const char* difference_kind_name(core::DifferenceKind kind);  // "A - B"

// One pane in one frame.
class PaneDrawing {
 public:
  PaneDrawing(const FrameContext& context, ComparePicture which, ComparisonPane& pane, const DifferenceLook& look,
              Commands& commands);

  // From the cursor on; the item that takes the mouse. True: somebody moved its camera.
  bool lay_out(ImVec2 size);
  // The same place as another pane's, which has the mouse.
  void lay_out_over(ImVec2 size) { frame_.lay_out(size, false); }
  // Where it is laid out now: has missing tiles worked out.
  void ask();
  // What is known of the view as it was laid out last, into pane.drawn.
  void note_drawn();
  // Over what is laid out, or over the part [from, to) of its width.
  void draw(float from = 0, float to = 1);
  void draw_indices() { frame_.draw_headers(ImGui::GetWindowDrawList()); }
  // Lights what is under the mouse, and pins it with a click.
  void point();
  // Below the picture: what the colours mean, and what was read.
  void draw_legend();
  void reveal(std::uint64_t element);
  void fit() { frame_.fit(); }
  // Pixels from the left edge of the cells.
  [[nodiscard]] float x_of_part(float part) const { return frame_.cells().x + (frame_.to().x - frame_.cells().x) * part; }
  [[nodiscard]] const PictureFrame& frame() const { return frame_; }

 private:
  [[nodiscard]] bool is_difference() const { return which_ == ComparePicture::difference; }
  [[nodiscard]] const ComparedSide& side() const {
    return which_ == ComparePicture::b ? context_.compared_sides.b : context_.compared_sides.a;
  }
  [[nodiscard]] bool own() const { return is_difference() ? context_.compared_sides.own() : side().own; }
  [[nodiscard]] const HeatmapStore& store() const { return context_.compared_sides.picture(which_); }
  [[nodiscard]] HeatmapSubject heatmap_subject() const;
  [[nodiscard]] bool about_this() const;
  [[nodiscard]] const ColourTable& table() const;
  [[nodiscard]] HeatmapPainter::Look look() const;
  void paint();
  void draw_numbers();
  void draw_number(CellAt cell, const std::string& text);
  void draw_focus();
  void draw_scale();
  void draw_coverage();
  void draw_stale();
  [[nodiscard]] std::string place_text(CellAt cell, std::uint64_t element) const;

  const FrameContext& context_;
  ComparePicture which_;
  ComparisonPane& pane_;
  const DifferenceLook& look_;
  Commands& commands_;
  PictureFrame frame_;
  bool hovered_ = false;
};

// The element of either tensor that a focus is on; nullopt: it is elsewhere.
[[nodiscard]] std::optional<std::uint64_t> element_of_two(const FrameContext& context, const Focus& focus);
// The focus on an element of A, B or both, as every view has it.
[[nodiscard]] Focus focus_of_two(const FrameContext& context, ComparePicture which, std::uint64_t element);

}  // namespace dlscope::app
