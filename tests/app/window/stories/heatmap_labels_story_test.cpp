// Where the labels of a heat map stand.
#include <catch2/catch_test_macros.hpp>

#include <cmath>
#include <cstdint>
#include <vector>

#include "tests/app/window/stories/story_windows.h"

namespace dlscope::tests {

TEST_CASE("the label of a row stands at the middle of its row, also where rows are thin", "[window][heatmap]") {
  const std::vector<float> data(40 * 100, 1.0F);
  FileWindow window(data.data(), "float32", core::Layout::c_order({40, 100}, 32), "//Heat map");
  for (int i = 0; i < 4; ++i) window.finish();  // a picture comes in several steps
  const app::HeatmapPanelState& panel = window.story.app().panels().heatmap;
  const ImU32 ink = ImGui::GetColorU32(app::theme_for(window.story.app().theme()).row_axis);
  const float left = panel.cells_from.x;
  std::vector<float> tops, bottoms;  // of the labels, from their characters
  for (const ImDrawList* list : ImGui::GetDrawData()->CmdLists) {
    for (int i = 0; i + 3 < list->VtxBuffer.Size; ++i) {
      const ImDrawVert &a = list->VtxBuffer[i], &c = list->VtxBuffer[i + 2];
      if (a.col != ink || c.col != ink || a.pos.x > left || c.pos.y <= a.pos.y) continue;
      if (tops.empty() || a.pos.y > bottoms.back()) {
        tops.push_back(a.pos.y);
        bottoms.push_back(c.pos.y);
      }
      i += 3;
    }
  }
  REQUIRE(tops.size() >= 3);
  const double step = std::round(40.0 / static_cast<double>(tops.size()) / 5) * 5;  // labels at 0, 5, 10 ... or 0, 10, 20 ...
  for (std::size_t i = 0; i < tops.size(); ++i) {
    const auto cell = static_cast<std::int64_t>(step * static_cast<double>(i));
    const double middle = (panel.camera.rows.x_of(cell) + panel.camera.rows.x_of(cell + 1)) / 2;
    const float row = panel.cells_from.y + static_cast<float>(middle);
    INFO(i << " of " << tops.size() << " from " << tops[i] << " to " << bottoms[i] << ", row " << row);
    CHECK(std::abs((tops[i] + bottoms[i]) / 2 - row) <= 3);
  }
}

}  // namespace dlscope::tests
