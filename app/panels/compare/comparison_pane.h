// One picture of the compare view: A, B, or their difference, with its colour scale and how much of it was read.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "app/models/actions/commands.h"
#include "app/models/heatmap/heatmap_pixels.h"
#include "app/models/heatmap/short_number.h"
#include "app/models/layout/axis_mapping.h"
#include "app/panels/frame_context.h"
#include "app/panels/heatmap/picture_frame.h"
#include "app/widgets/pixel_texture.h"

namespace dlscope::app {

struct ComparisonPane {
  AxisMapping mapping;  // the shown slice
  core::CellAxes axes;  // the same, in the form the heat map needs
  HeatmapCamera camera;
  HeatmapView view;  // of the camera; `known`: how much is known of it
  HeatmapKnown known;
  std::uint64_t asked_exact = 0;  // the person asked to read all values of views with up to so many
  NumberRange drawn;              // range of everything known at this zoom
  NumberRange range;              // range of the colours

  // The state that was painted, so that a frame without changes paints nothing.
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
  std::vector<std::uint64_t> wanted;  // elements whose values are written into cells
  std::vector<GridCell> numbers;
  ImVec2 cells_from, cells_to;  // the cells' place on the screen
  std::string said;             // the line below the picture
  bool hovered = false;         // in the last frame
};

// What a key asks of the pictures.
struct PictureZoom {
  bool to_numbers = false;
  std::optional<bool> in;  // false: out
};

// How the difference is shown.
struct DifferenceLook {
  core::DifferenceKind kind = core::DifferenceKind::difference;
  ColourStretch stretch = ColourStretch::linear;
};
[[nodiscard]] const char* difference_kind_name(core::DifferenceKind kind);  // "A - B"

// Draws one pane in one frame.
class PaneDrawing {
 public:
  PaneDrawing(const FrameContext& context, ComparePicture which, ComparisonPane& pane, const DifferenceLook& look,
              Commands& commands);

  // Places it at the cursor as the item that takes the mouse. True: its camera was moved.
  bool lay_out(ImVec2 size);
  // Places it over another pane, which takes the mouse.
  void lay_out_over(ImVec2 size) { frame_.lay_out(size, false); }
  // Requests the missing tiles of the view.
  void ask();
  // Stores the range of what is known of the view in pane.drawn.
  void note_drawn();
  // Draws it, or only the part [from, to) of its width.
  void draw(float from = 0, float to = 1);
  void draw_indices() { frame_.draw_headers(ImGui::GetWindowDrawList()); }
  // Highlights what is under the mouse; a click pins it.
  void point();
  // Below the picture: the colour scale, and how much was read.
  void draw_legend();
  void reveal(std::uint64_t element);
  // At the mouse if that is on this pane, else at what is pinned, else in the middle.
  void zoom(const PictureZoom& by);
  void fit() { frame_.fit(); }
  // part of the cells' width -> x in screen pixels.
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
  [[nodiscard]] Digits digits() const;  // of the numbers that are drawn

  const FrameContext& context_;
  ComparePicture which_;
  ComparisonPane& pane_;
  const DifferenceLook& look_;
  Commands& commands_;
  PictureFrame frame_;
  bool hovered_ = false;
};

// The focused element, if the focus is on A or B; nullopt: it is elsewhere.
[[nodiscard]] std::optional<std::uint64_t> element_of_two(const FrameContext& context, const Focus& focus);
// The focus on an element of A, B or both, for all views.
[[nodiscard]] Focus focus_of_two(const FrameContext& context, ComparePicture which, std::uint64_t element);

}  // namespace dlscope::app
