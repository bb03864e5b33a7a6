// The heat map in the window: every kind of tensor, zoom from the whole to numbers, a lone NaN that stays to be seen and is found by a key,
// the one focus. Without Python: memory of this process.
#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "app/models/focus/focus_text.h"
#include "app/models/heatmap/heatmap_axes.h"
#include "app/widgets/value_marks.h"
#include "tests/app/window/stories/heatmap_window.h"

namespace dlscope::tests {
namespace {

using core::Layout;

const float kNan = std::numeric_limits<float>::quiet_NaN();

}  // namespace

TEST_CASE("a small tensor is shown with its numbers, and what the mouse is on is the one focus", "[window][heatmap]") {
  const std::vector<float> data{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, kNan, 11};
  HeatmapFile window(data.data(), "float32", Layout::c_order({3, 4}, 32));
  CHECK(window.panel().said == "computed on all 12 values");
  CHECK(window.panel().numbers_written == 12);
  CHECK((window.panel().range.low == 0 && window.panel().range.high == 11));
  CHECK(window.pixel(0, 0) != window.pixel(2, 3));
  CHECK(window.pixel(2, 2) == window.nan_ink());
  window.story.act([&](ImGuiTestContext* ui) {
    ui->MouseMoveToPos(window.at(1, 2));
    ui->Yield(2);
  });
  CHECK(window.story.app().focus().element == 6U);
  window.story.act([&](ImGuiTestContext* ui) {
    ui->MouseClick(0);
    ui->Yield(2);
    ui->KeyPress(ImGuiKey_DownArrow);
    ui->Yield(2);
  });
  CHECK(window.story.app().pinned().element == 10U);
  const std::uint64_t paints = window.panel().paints;
  window.story.frames(5);
  CHECK(window.panel().paints == paints);  // nothing changed: nothing is painted
}

TEST_CASE("the picture that is exported is the one that is seen, and says what it is of", "[window][heatmap]") {
  const std::vector<float> data{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, kNan, 11};
  HeatmapFile window(data.data(), "float32", Layout::c_order({3, 4}, 32));
  app::Application& app = window.story.app();
  app.commands().push(app::command::ExportHeatmap{});
  window.story.frames(2);
  const auto picture = app.take_heatmap_picture();
  REQUIRE(picture);
  CHECK_FALSE(app.take_heatmap_picture());
  REQUIRE((picture->width > 0 &&
           picture->rgba.size() == 4U * static_cast<unsigned>(picture->width) * static_cast<unsigned>(picture->height)));
  bool same = true;
  for (int y = 0; y < picture->height; ++y) {
    for (int x = 0; x < picture->width; ++x) {
      ImU32 pixel = 0;
      std::memcpy(&pixel, picture->rgba.data() + 4 * (y * picture->width + x), 4);
      same = same && pixel == window.panel().texture.pixel(x, y);
    }
  }
  CHECK(same);
  CHECK(picture->text[0].second.ends_with("[:, :]"));
  CHECK(picture->text[1].second.find("float32, shape (3, 4).\nRows 0 to 2 of 3, columns 0 to 3 of 4.\n") != std::string::npos);
  CHECK(picture->text[1].second.find("viridis, even, 0 to 11.\ncomputed on all 12 values\n") != std::string::npos);
}

TEST_CASE("a figure is cut out of the one frame in which text stands for the controls", "[window][heatmap]") {
  const std::vector<float> data{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, kNan, 11};
  HeatmapFile window(data.data(), "float32", Layout::c_order({3, 4}, 32));
  app::Application& app = window.story.app();
  constexpr int kSide = 4000;  // larger than any frame here; each pixel says where it is
  std::vector<std::byte> frame(std::size_t{4} * kSide * kSide);
  const auto number_at = [](int x, int y) { return static_cast<std::uint32_t>(y * kSide + x); };
  for (int y = 0; y < kSide; ++y) {
    for (int x = 0; x < kSide; ++x) {
      const std::uint32_t number = number_at(x, y);
      std::memcpy(frame.data() + 4 * (static_cast<std::size_t>(y) * kSide + static_cast<std::size_t>(x)), &number, 4);
    }
  }
  const ImVec2 cells_before(window.panel().cells_to.x - window.panel().cells_from.x,
                            window.panel().cells_to.y - window.panel().cells_from.y);
  app.commands().push(app::command::ExportHeatmap{.figure = true});
  window.story.frames(2);  // it is asked for after the first, drawn in the second
  REQUIRE(app.wants_figure());
  CHECK(window.panel().cells_to.x - window.panel().cells_from.x == cells_before.x);
  CHECK(window.panel().cells_to.y - window.panel().cells_from.y == cells_before.y);
  const app::HeatmapPanelState::Figure drawn = window.panel().figure;
  REQUIRE(drawn.title.size() == 2);
  CHECK(drawn.title[0].ends_with("[:, :], float32, shape (3, 4)."));
  CHECK(drawn.title[1].starts_with("Rows 0 to 2 of 3, columns 0 to 3 of 4. Each point: "));
  CHECK(drawn.title[1].find("computed on") == std::string::npos);  // the legend says it
  const auto figure = app.take_figure(kSide, kSide, frame);
  REQUIRE(figure);
  CHECK_FALSE(app.wants_figure());
  CHECK_FALSE(window.panel().figure.wanted);
  REQUIRE(figure->rgba.size() ==
          std::size_t{4} * static_cast<std::size_t>(figure->width) * static_cast<std::size_t>(figure->height));
  std::uint32_t first = 0, last = 0;
  std::memcpy(&first, figure->rgba.data(), 4);
  std::memcpy(&last, figure->rgba.data() + figure->rgba.size() - 4, 4);
  const int left = static_cast<int>(drawn.from.x), top = static_cast<int>(drawn.from.y);
  CHECK(first == number_at(left, top));
  CHECK(last == number_at(left + figure->width - 1, top + figure->height - 1));
  CHECK(static_cast<float>(left + figure->width) >= window.panel().cells_to.x);
  CHECK(static_cast<float>(top + figure->height) > window.panel().cells_to.y);
  CHECK(figure->text[1].second.find("computed on all 12 values\n") != std::string::npos);

  // Nothing is cut out of a frame that did not draw it.
  app.commands().push(app::command::ExportHeatmap{.figure = true});
  window.story.frames(1);
  REQUIRE(app.wants_figure());
  CHECK_FALSE(app.take_figure(kSide, kSide, frame));
  CHECK_FALSE(window.panel().figure.wanted);
}

TEST_CASE("every kind of tensor has its picture or a sentence", "[window][heatmap]") {
  const std::vector<float> nan(256, kNan), equal(256, 2.5F);
  const std::vector<std::uint8_t> bytes(256, 1);
  const struct {
    const void* data;
    const char* dtype;
    Layout layout;
    const char* said;
  } cases[] = {
      {nan.data(), "float32", Layout::c_order({0, 4}, 32), ""},
      {nan.data(), "float32", Layout::c_order({20}, 32), "computed on all 20 values"},
      {equal.data(), "float32", Layout::c_order({}, 32), "computed on its one value"},
      {equal.data(), "float32", Layout::c_order({4, 5}, 32), "computed on all 20 values"},
      {equal.data(), "complex64", Layout::c_order({10}, 64), "computed on all 10 values"},
      {bytes.data(), "bool", Layout::c_order({20}, 8), "computed on all 20 values"},
      {bytes.data(), "int4", Layout::c_order({40}, 4), "computed on all 40 values"},
      {bytes.data(), "float8_e4m3fn", Layout::c_order({20}, 8), "computed on all 20 values"},
      {equal.data(), "float32", Layout::c_order({2, 2, 2, 2, 2, 2, 2, 2}, 32), "computed on all 4 values"},
      {equal.data(), "float32", Layout::from_byte_strides({1000, 20}, {0, 4}, 32), "computed on all 20 000 values"},
      {equal.data(), "float32x4", Layout::c_order({4, 4}, 128), "computed on all 64 values"},
  };
  for (const auto& one : cases) {
    INFO(one.dtype << " of rank " << one.layout.shape.size());
    HeatmapFile window(one.data, one.dtype, one.layout);
    CHECK(window.panel().said == one.said);
    for (const float scale : {2.0F, 3.0F}) {
      window.story.app().commands().push(app::command::SetScale{scale});
      window.story.frames(4);
    }
  }
}

TEST_CASE("a lone NaN of a large tensor is seen at fit, found by a key, and still there in the numbers", "[window][heatmap]") {
  constexpr std::int64_t kSide = 3000;
  std::vector<float> data(kSide * kSide);
  for (std::size_t i = 0; i < data.size(); ++i) data[i] = static_cast<float>(i % 977);
  data[1234 * kSide + 2100] = kNan;
  HeatmapFile window(data.data(), "float32", Layout::c_order({kSide, kSide}, 32));
  CHECK(window.panel().said == "computed on all 9 000 000 values");
  CHECK(window.panel().numbers_written == 0);
  CHECK(window.pixel(1234, 2100) == window.nan_ink());
  CHECK((window.panel().range.flags & core::kTexelNan) != 0);
  window.story.act([](ImGuiTestContext* ui) {
    ui->KeyPress(ImGuiKey_N);
    ui->Yield(2);
  });
  CHECK(window.story.wait_for(
      [&] { return window.story.app().pinned().element == 1234U * kSide + 2100U; }));  // a stretch at a time
  window.finish();
  window.zoom_in_at(1234, 2100, 20);
  CHECK(window.panel().said.find("in view") != std::string::npos);
  CHECK(window.pixel(1234, 2100) == window.nan_ink());
  CHECK(window.pixel(1234, 2101) != window.nan_ink());
  window.zoom_in_at(1234, 2100, 20);
  CHECK(window.panel().numbers_written > 0);
  CHECK(window.pixel(1234, 2100) == window.nan_ink());
  window.story.act([](ImGuiTestContext* ui) {
    ui->KeyPress(ImGuiKey_F);
    ui->Yield(2);
  });
  window.finish();
  CHECK(window.panel().said == "computed on all 9 000 000 values");
}

TEST_CASE("the ends of the colours are two handles in the histogram", "[window][heatmap]") {
  std::vector<float> data(10'000);
  for (std::size_t i = 0; i < data.size(); ++i) data[i] = static_cast<float>(i % 1000);
  HeatmapFile window(data.data(), "float32", Layout::c_order({100, 100}, 32));
  CHECK((window.panel().range.low == 0 && window.panel().range.high == 999));
  bring_up(window.story, "//Statistics");
  window.finish();
  app::HistogramView& histogram = window.story.app().panels().statistics.histogram;
  window.story.act([&](ImGuiTestContext* ui) {
    ui->MouseMove("//Statistics/**/last");  // brings it into view
    ui->Yield(2);
    const float wide = histogram.handles[1].x - histogram.handles[0].x;
    IM_CHECK_GT(wide, 50.0F);
    ui->ItemDragWithDelta("//Statistics/**/last", {-wide / 2, 0});
    ui->Yield(2);
  });
  CHECK(window.panel().colours.range == app::RangeChoice::fixed);
  CHECK(window.panel().colours.low == 0);
  CHECK((window.panel().colours.high > 450 && window.panel().colours.high < 550));
  bring_up(window.story, kHeatmap);
  window.finish();
  CHECK(window.panel().range.high == window.panel().colours.high);
}

TEST_CASE("labels can be shown as categories, which is never done to means", "[window][heatmap]") {
  const std::vector<std::int32_t> labels{0, 1, 7, 8, -1, 9};
  HeatmapFile window(labels.data(), "int32", Layout::c_order({2, 3}, 32));
  CHECK(window.pixel(0, 0) != window.pixel(1, 0));
  window.story.act([&](ImGuiTestContext* ui) {
    ui->SetRef(kHeatmap);
    ui->ComboClick("##map/categories");
    ui->Yield(2);
  });
  window.finish();
  CHECK(window.panel().colours.map == app::ColourMap::categories);
  CHECK(window.pixel(0, 0) == window.pixel(1, 0));  // 0 and 8
  CHECK(window.pixel(0, 2) == window.pixel(1, 1));  // 7 and -1
  CHECK(window.pixel(0, 1) == window.pixel(1, 2));  // 1 and 9
  CHECK(window.pixel(0, 0) != window.pixel(0, 1));
  CHECK(window.panel().scale_message == "… 8 as 0");
  app::Application& app = window.story.app();
  app.commands().push(app::command::ExportHeatmap{});
  window.story.frames(2);
  const auto picture = app.take_heatmap_picture();
  REQUIRE(picture);
  CHECK(picture->text[1].second.find("Colours: categories, by the remainder of a value by 8;") != std::string::npos);
  app::set_role(window.panel().axes, 0, app::AxisRole::reduced);
  window.finish();
  CHECK(app::shown_map(window.panel(), *core::dtype_from_name("int32")) == app::ColourMap::viridis);
  CHECK(window.pixel(0, 0) != window.pixel(0, 1));
  CHECK(window.panel().colours.map == app::ColourMap::categories);  // once there are no means again
}

TEST_CASE("+ and - zoom by the keyboard, about what is pinned", "[window][heatmap]") {
  std::vector<float> data(200 * 200);
  for (std::size_t i = 0; i < data.size(); ++i) data[i] = static_cast<float>(i);
  HeatmapFile window(data.data(), "float32", Layout::c_order({200, 200}, 32));
  window.story.app().commands().push(app::command::Pin{app::focus_on(*window.story.app().index(), 0, 150 * 200 + 30)});
  window.story.act([](ImGuiTestContext* ui) {
    ui->MouseMoveToPos({2, 2});
    ui->WindowFocus(kHeatmap);
  });
  window.finish();
  const ImVec2 before = window.at(150, 30);
  const double fitted = window.panel().camera.rows.px_per_unit();
  for (int i = 0; i < 6; ++i) window.press(ImGuiKey_Equal);
  const ImVec2 after = window.at(150, 30);
  CHECK(window.panel().camera.rows.px_per_unit() > fitted * 3);
  CHECK(std::abs(before.x - after.x) < 2);
  CHECK(std::abs(before.y - after.y) < 2);
  for (int i = 0; i < 8; ++i) window.press(ImGuiKey_Minus);
  CHECK(window.panel().camera.rows.fitted());
}

TEST_CASE("the range of all values comes from the statistics, which are asked for", "[window][heatmap]") {
  std::vector<float> data(1000 * 1000, 0.0F);
  data[123'456] = 77;
  data[500] = -5;
  HeatmapFile window(data.data(), "float32", Layout::c_order({1000, 1000}, 32));
  for (int i = 0; i < 4; ++i) window.zoom_in_at(900, 900, 6);
  window.panel().colours.range = app::RangeChoice::in_view;
  window.finish();
  CHECK(window.panel().range.high == 0);
  window.panel().colours.range = app::RangeChoice::values;
  window.finish();
  CHECK((window.panel().range.low == -5 && window.panel().range.high == 77));
  CHECK(window.panel().range_said == "min to max of all 1 000 000 values");
  window.panel().colours.range = app::RangeChoice::value_percentile;
  window.finish();
  CHECK((window.panel().range.low == 0 && window.panel().range.high == 0));
  CHECK(window.panel().range_said.find("1 % to 99 % of ") == 0);
}

TEST_CASE("100 000 x 100 000 values of one row of memory are moved over without waiting", "[window][heatmap]") {
  std::vector<float> row(100'000);
  for (std::size_t i = 0; i < row.size(); ++i) row[i] = static_cast<float>(i);
  HeatmapFile window(row.data(), "float32", Layout::from_byte_strides({100'000, 100'000}, {0, 4}, 32));
  CHECK(window.panel().said == "computed on all 10 000 000 000 values");
  CHECK((window.panel().range.high > 90'000 && window.panel().range.low < 1000));
  window.zoom_in_at(50'000, 70'000, 12);
  CHECK(window.panel().said.find("computed on all") == 0);
  const std::int64_t before = window.panel().camera.columns.first();
  window.story.act([&](ImGuiTestContext* ui) {
    ui->MouseMoveToPos({window.panel().cells_to.x - 60, (window.panel().cells_from.y + window.panel().cells_to.y) / 2});
    ui->MouseDragWithDelta({-200, 0});
    ui->Yield(2);
  });
  window.finish();
  CHECK(window.panel().camera.columns.first() > before);
  CHECK(window.panel().texture.bytes() < (std::size_t{16} << 20));
  CHECK_FALSE(window.story.app().pinned().on_tensor());  // it was a drag, not a click
}

}  // namespace dlscope::tests
