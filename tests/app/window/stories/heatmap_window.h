// A window whose heat map shows memory of this process: cells by row and column, their pixels, keys and the wheel.
#pragma once

#include "app/panels/heatmap/heatmap_colours.h"
#include "app/widgets/value_marks.h"
#include "tests/app/window/stories/story_windows.h"

namespace dlscope::tests {

inline constexpr const char* kHeatmap = "//Heat map";

struct HeatmapFile : FileWindow {
  HeatmapFile(const void* data, const char* dtype, const core::Layout& layout) : FileWindow(data, dtype, layout, kHeatmap) { finish(); }
  // A picture comes in several steps, each asked for in a frame.
  void finish() {
    for (int i = 0; i < 4; ++i) FileWindow::finish();
  }
  app::HeatmapPanelState& panel() { return story.app().panels().heatmap; }
  // The middle of a cell, on the screen.
  ImVec2 at(std::int64_t row, std::int64_t column) {
    const app::HeatmapCamera& camera = panel().camera;
    const auto middle = [](const app::AxisView& view, std::int64_t cell) {
      return static_cast<float>((view.x_of(cell) + view.x_of(cell + 1)) / 2);
    };
    return {panel().cells_from.x + middle(camera.columns, column), panel().cells_from.y + middle(camera.rows, row)};
  }
  ImU32 pixel(std::int64_t row, std::int64_t column) {
    const ImVec2 place = at(row, column);
    return panel().texture.pixel(static_cast<int>(place.x - panel().cells_from.x),
                                 static_cast<int>(place.y - panel().cells_from.y));
  }
  [[nodiscard]] ImU32 nan_ink() {
    return ImGui::GetColorU32(app::value_colour(app::theme_for(story.app().theme()), core::ValueClass::nan));
  }
  void press(ImGuiKey key) {
    story.act([key](ImGuiTestContext* ui) {
      ui->KeyPress(key);
      ui->Yield(2);
    });
    finish();
  }
  void zoom_in_at(std::int64_t row, std::int64_t column, int notches) {
    const ImVec2 place = at(row, column);
    story.act([&](ImGuiTestContext* ui) {
      ui->MouseMoveToPos(place);
      for (int i = 0; i < notches; ++i) ui->MouseWheelY(1);
      ui->Yield(2);
    });
    finish();
  }
};

}  // namespace dlscope::tests
