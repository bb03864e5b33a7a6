// PictureFrame: the place of a table's cells on the screen, the indices at its sides, and its camera. Shared by the heat map and
// the pictures of a comparison. Lives for one frame.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "app/models/heatmap/heatmap_axes.h"
#include "app/models/heatmap/heatmap_window.h"
#include "app/panels/frame_context.h"
#include "app/widgets/focus_marks.h"

#include <imgui.h>

namespace dlscope::app {

// In pixels from the cells' corner.
struct PixelPlace {
  double row = 0, column = 0;
};

class PictureFrame {
 public:
  // `axes` must fit the layout. All references must outlive it.
  PictureFrame(const FrameContext& context, core::LayoutView layout, const core::CellAxes& axes, HeatmapCamera& camera)
      : context_(context), layout_(layout), axes_(axes), camera_(camera) {}

  // Places it at the cursor. square: cells are as wide as high.
  void lay_out(ImVec2 size, bool square);
  // For the last item, the picture: pans by dragging, zooms by the wheel while the mouse is on it.
  void drag();
  void zoom_by_wheel();
  void fit();
  // What is at `at` stays there.
  void zoom(PixelPlace at, double factor);
  void zoom_to_numbers(PixelPlace at, bool square);  // until numbers fit into cells
  void zoom_by_key(PixelPlace at, bool in);          // as a notch of the wheel
  void reveal(CellAt cell);

  void draw_headers(ImDrawList* list) const;
  void draw_tiles(ImDrawList* list) const;  // lines between tiles, where several axes share a direction
  // A ring around an element's cell, if it is in this slice; always large enough to be seen.
  void draw_ring(ImDrawList* list, std::uint64_t element, FocusMark mark) const;
  // Text in a cell, `top` pixels from the window's: whole, or with an ellipsis after the digits that fit.
  void draw_number(ImDrawList* list, CellAt cell, float top, ImU32 ink, const std::string& number) const;

  [[nodiscard]] ImVec2 from() const { return from_; }    // of the whole frame, with indices
  [[nodiscard]] ImVec2 cells() const { return cells_; }  // corner of the cells
  [[nodiscard]] ImVec2 to() const { return to_; }
  [[nodiscard]] ImVec2 natural() const { return natural_; }  // size of a cell in which a number fits
  [[nodiscard]] std::size_t channels() const { return static_cast<std::size_t>(core::count_channels(layout_, axes_)); }
  // Screen position of a cell's corner.
  [[nodiscard]] ImVec2 corner(std::int64_t row, std::int64_t column) const;
  // The cell at a screen position; nullopt: none.
  [[nodiscard]] std::optional<CellAt> cell_at(ImVec2 place) const;
  [[nodiscard]] bool has_room_for_numbers() const;
  [[nodiscard]] PixelPlace at_mouse() const;
  [[nodiscard]] PixelPlace middle() const;
  // The centre of an element's cell; nullopt: not visible.
  [[nodiscard]] std::optional<PixelPlace> place_of(std::uint64_t element) const;

 private:
  [[nodiscard]] std::string label(const std::vector<std::uint8_t>& axes, std::int64_t cell) const;

  const FrameContext& context_;
  core::LayoutView layout_;
  const core::CellAxes& axes_;
  HeatmapCamera& camera_;
  ImVec2 from_, to_, cells_, natural_;
};

// Calls each(row, column) for every cell of a window.
template <class Each>
void for_each_cell(const core::CellWindow& window, Each each) {
  for (std::int64_t row = window.row; row < window.row + window.rows; ++row) {
    for (std::int64_t column = window.column; column < window.column + window.columns; ++column) each(row, column);
  }
}
inline constexpr std::int64_t kMaxNumbers = 4000;  // in cells, at most: so that a frame can read and draw them

}  // namespace dlscope::app
