// PictureFrame: where the cells of a table lie on the screen, with the indices at its sides, and the camera over them. Shared by the heat
// map and the pictures of a comparison. A frame's.
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

class PictureFrame {
 public:
  // `axes` fit the layout. Everything it is given outlives it.
  PictureFrame(const FrameContext& context, core::LayoutView layout, const core::CellAxes& axes, HeatmapCamera& camera)
      : context_(context), layout_(layout), axes_(axes), camera_(camera) {}

  // From the cursor on. square: a cell is as wide as it is high.
  void lay_out(ImVec2 size, bool square);
  // The last item is the picture: dragged, and zoomed by the wheel where the mouse is on it.
  void drag();
  void zoom_by_wheel();
  void fit();
  // Cells become as large as numbers; what lies at (x, y), in pixels from the cells' corner, stays there.
  void zoom_to_numbers(double x, double y, bool square);
  void reveal(CellAt cell);

  void draw_headers(ImDrawList* list) const;
  void draw_tiles(ImDrawList* list) const;  // lines between the pictures where several axes run one way
  // Around an element's cell, where it is in this slice; never smaller than can be seen.
  void draw_ring(ImDrawList* list, std::uint64_t element, FocusMark mark) const;

  [[nodiscard]] ImVec2 from() const { return from_; }    // of all of it
  [[nodiscard]] ImVec2 cells() const { return cells_; }  // where the cells begin
  [[nodiscard]] ImVec2 to() const { return to_; }
  [[nodiscard]] ImVec2 natural() const { return natural_; }  // size of a cell that holds a number
  [[nodiscard]] std::size_t channels() const { return static_cast<std::size_t>(core::count_channels(layout_, axes_)); }
  // Corner of a cell on the screen.
  [[nodiscard]] ImVec2 corner(std::int64_t row, std::int64_t column) const;
  // The cell at a place on the screen; nullopt: there is none.
  [[nodiscard]] std::optional<CellAt> cell_at(ImVec2 place) const;
  [[nodiscard]] bool has_room_for_numbers() const;

 private:
  [[nodiscard]] std::string label(const std::vector<std::uint8_t>& axes, std::int64_t cell) const;

  const FrameContext& context_;
  core::LayoutView layout_;
  const core::CellAxes& axes_;
  HeatmapCamera& camera_;
  ImVec2 from_, to_, cells_, natural_;
};

// Calls with every cell of a window: (row, column).
template <class Each>
void for_each_cell(const core::CellWindow& window, Each each) {
  for (std::int64_t row = window.row; row < window.row + window.rows; ++row) {
    for (std::int64_t column = window.column; column < window.column + window.columns; ++column) each(row, column);
  }
}
inline constexpr std::int64_t kMostNumbers = 4000;  // written into cells: what a frame can read and draw

}  // namespace dlscope::app
