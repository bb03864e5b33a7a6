// The heat map in the window: every kind of tensor, zoom from the whole to numbers, a lone NaN that stays to be seen and is found by a key,
// the one focus, a sample before the exact picture, as of when. Without Python: memory of this process, or a host that answers as told.
#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "app/models/focus/focus_text.h"
#include "app/models/heatmap/heatmap_axes.h"
#include "app/panels/heatmap/heatmap_colours.h"
#include "app/widgets/value_marks.h"
#include "tests/app/window/story_windows.h"

namespace dlscope::tests {
namespace {

using core::Layout;

const float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr const char* kPanel = "//Heat map";

struct HeatmapFile : FileWindow {
  HeatmapFile(const void* data, const char* dtype, const Layout& layout) : FileWindow(data, dtype, layout, kPanel) { finish(); }
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
  REQUIRE(app.wants_heatmap_figure());
  CHECK(window.panel().cells_to.x - window.panel().cells_from.x == cells_before.x);
  CHECK(window.panel().cells_to.y - window.panel().cells_from.y == cells_before.y);
  const app::HeatmapPanelState::Figure drawn = window.panel().figure;
  REQUIRE(drawn.title.size() == 2);
  CHECK(drawn.title[0].ends_with("[:, :], float32, shape (3, 4)."));
  CHECK(drawn.title[1].starts_with("Rows 0 to 2 of 3, columns 0 to 3 of 4. Each point: "));
  CHECK(drawn.title[1].find("computed on") == std::string::npos);  // the legend says it
  const auto figure = app.take_heatmap_figure(kSide, kSide, frame);
  REQUIRE(figure);
  CHECK_FALSE(app.wants_heatmap_figure());
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
  REQUIRE(app.wants_heatmap_figure());
  CHECK_FALSE(app.take_heatmap_figure(kSide, kSide, frame));
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
  bring_up(window.story, kPanel);
  window.finish();
  CHECK(window.panel().range.high == window.panel().colours.high);
}

TEST_CASE("labels can be shown as categories, which is never done to means", "[window][heatmap]") {
  const std::vector<std::int32_t> labels{0, 1, 7, 8, -1, 9};
  HeatmapFile window(labels.data(), "int32", Layout::c_order({2, 3}, 32));
  CHECK(window.pixel(0, 0) != window.pixel(1, 0));
  window.story.act([&](ImGuiTestContext* ui) {
    ui->SetRef(kPanel);
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

TEST_CASE("axes: on a slider, as tiles, reduced", "[window][heatmap]") {
  std::vector<float> data(3 * 4 * 5);
  for (std::size_t i = 0; i < data.size(); ++i) data[i] = static_cast<float>(i);
  HeatmapFile window(data.data(), "float32", Layout::c_order({3, 4, 5}, 32));
  CHECK(window.panel().range.high == 19);
  window.panel().axes.at[0] = 2;
  window.finish();
  CHECK((window.panel().range.low == 40 && window.panel().range.high == 59));
  app::set_role(window.panel().axes, 0, app::AxisRole::down);
  window.panel().camera = {};
  window.finish();
  CHECK(window.panel().camera.row_limits.length == 12);
  CHECK((window.panel().range.low == 0 && window.panel().range.high == 59));
  CHECK(window.panel().said == "computed on all 60 values");
  app::set_role(window.panel().axes, 0, app::AxisRole::reduced);
  window.panel().camera = {};
  window.finish();
  CHECK(window.panel().camera.row_limits.length == 4);
  CHECK((window.panel().range.low == 20 && window.panel().range.high == 39));  // means of three
  CHECK(window.panel().numbers_written == 20);
  // The pin of another view moves the slider to its slice.
  app::set_role(window.panel().axes, 0, app::AxisRole::slider);
  window.finish();
  window.story.app().commands().push(app::command::Pin{app::focus_on(*window.story.app().index(), 0, 25)});
  window.finish();
  CHECK(window.panel().axes.at[0] == 1);
}

TEST_CASE("a reversed axis: picture, indices, numbers, mouse, keys and figure agree", "[window][heatmap]") {
  std::vector<float> data(6 * 5);
  for (std::size_t i = 0; i < data.size(); ++i) data[i] = static_cast<float>(i);
  HeatmapFile window(data.data(), "float32", Layout::c_order({6, 5}, 32));
  window.story.act([](ImGuiTestContext* ui) {
    ui->ItemClick("//Heat map/**/axes …");
    ui->ItemClick("//$FOCUSED/$$0/reversed");
    ui->ItemClick("//$FOCUSED/$$1/reversed");
    ui->KeyPress(ImGuiKey_Escape);
    ui->Yield(2);
  });
  window.finish();
  CHECK(app::cells_text(window.panel().axes) == "[::-1, ::-1]");
  REQUIRE(window.panel().numbers.size() == 30);
  for (std::size_t i = 0; i < 30; ++i) CHECK(window.panel().numbers[i].text == std::to_string(29 - i) + ".0");
  // The last element is darkest where it is the least, in the corner below on the right.
  CHECK(window.pixel(5, 4) == 0xFF000000U + (app::colour_table(app::ColourMap::viridis).front() & 0xFFFFFFU));
  const ImVec2 corner = window.at(0, 0);
  window.story.act([corner](ImGuiTestContext* ui) {
    ui->MouseMoveToPos(corner);
    ui->MouseClick();
    ui->Yield(2);
  });
  CHECK(window.story.app().pinned().element == 29U);
  window.press(ImGuiKey_DownArrow);
  CHECK(window.story.app().pinned().element == 24U);
  window.press(ImGuiKey_RightArrow);
  CHECK(window.story.app().pinned().element == 23U);
  window.press(ImGuiKey_UpArrow);
  CHECK(window.story.app().pinned().element == 28U);
}

TEST_CASE("+ and - zoom by the keyboard, about what is pinned", "[window][heatmap]") {
  std::vector<float> data(200 * 200);
  for (std::size_t i = 0; i < data.size(); ++i) data[i] = static_cast<float>(i);
  HeatmapFile window(data.data(), "float32", Layout::c_order({200, 200}, 32));
  window.story.app().commands().push(app::command::Pin{app::focus_on(*window.story.app().index(), 0, 150 * 200 + 30)});
  window.story.act([](ImGuiTestContext* ui) {
    ui->MouseMoveToPos({2, 2});
    ui->WindowFocus(kPanel);
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

TEST_CASE("as an image: the channels are one pixel, their numbers stand in it, and the mouse is on one of them",
          "[window][heatmap]") {
  std::vector<std::uint8_t> data(3 * 8 * 3);
  for (std::size_t i = 0; i < data.size(); ++i) data[i] = static_cast<std::uint8_t>(i);
  HeatmapFile window(data.data(), "uint8", Layout::c_order({3, 8, 3}, 8));
  window.press(ImGuiKey_I);
  REQUIRE(window.panel().axes.channel == 2);
  CHECK((window.panel().camera.row_limits.length == 3 && window.panel().camera.column_limits.length == 8));
  CHECK(window.panel().said == "computed on all 72 values");
  CHECK(window.panel().scale_message == "0 to 255 is black to white");
  CHECK(window.panel().numbers_written == 3 * 8 * 3);
  const auto first = static_cast<std::uint32_t>((2 * 8 + 5) * 3);
  ImVec2 corner = window.at(2, 5);
  CHECK(window.pixel(2, 5) == (0xFF000000U | (first + 2) << 16 | (first + 1) << 8 | first));  // the numbers are drawn over it
  // The middle line is green: the element below the mouse, and what is written beside it.
  window.story.act([&](ImGuiTestContext* ui) {
    ui->MouseMoveToPos(corner);
    ui->SleepNoSkip(1.0F, 0.1F);
  });
  CHECK(window.story.app().focus().element == first + 1);
  CHECK(window.panel().place_said == "[2, 5, :]   R 63   G 64   B 65");
  corner.y += 14;
  window.story.act([&](ImGuiTestContext* ui) {
    ui->MouseMoveToPos(corner);
    ui->Yield(2);
  });
  CHECK(window.story.app().focus().element == first + 2);
  // A pin of another view is found in its pixel; a range of the image does not touch that of the heat map.
  window.story.app().commands().push(app::command::Pin{app::focus_on(*window.story.app().index(), 0, 4)});
  window.finish();
  CHECK(window.panel().channel_at == 1);
  window.panel().image_colours.range = app::RangeChoice::all;
  window.finish();
  CHECK(window.panel().scale_message == "0 to 71 is black to white");
  window.panel().order = app::ChannelOrder::bgr;
  window.finish();
  CHECK((window.pixel(0, 0) & 0xFF) > (window.pixel(0, 0) >> 16 & 0xFF));
  // Exported, it says what it is.
  window.story.app().commands().push(app::command::ExportHeatmap{});
  window.story.frames(2);
  const auto exported = window.story.app().take_heatmap_picture();
  REQUIRE(exported);
  CHECK(exported->text[1].second.find("Channels of axis 2: B, G, R. 0 to 71 is black to white.\n") != std::string::npos);
  window.press(ImGuiKey_I);
  CHECK_FALSE(window.panel().axes.channel.has_value());
  CHECK(window.panel().said == "computed on all 24 values");
  CHECK(window.panel().colours.range == app::RangeChoice::all);
}

TEST_CASE("as an image: not of bool or complex, and a lone NaN of one channel is seen at fit", "[window][heatmap]") {
  std::vector<float> data(3 * 1500 * 2000, 0.25F);
  for (const char* const dtype : {"bool", "complex64"}) {
    HeatmapFile window(data.data(), dtype, Layout::c_order({40, 50, 3}, dtype[0] == 'b' ? 8 : 64));
    window.press(ImGuiKey_I);
    CHECK_FALSE(window.panel().axes.channel.has_value());
  }
  data[(2 * 1500 + 700) * 2000 + 900] = kNan;
  data[5] = -300;
  HeatmapFile window(data.data(), "float32", Layout::c_order({3, 1500, 2000}, 32));
  window.press(ImGuiKey_I);
  for (int i = 0; i < 20; ++i) window.finish();
  CHECK(window.panel().axes.channel == 0);
  CHECK(window.panel().said == "computed on all 9 000 000 values");
  CHECK(window.pixel(700, 900) == window.nan_ink());
  CHECK(window.pixel(300, 300) == 0xFF404040U);
  CHECK(window.panel().scale_message.find("0 to 1 is black to white; there is less, from -") == 0);
  window.press(ImGuiKey_N);
  CHECK(window.story.wait_for([&] { return window.story.app().pinned().element == (2U * 1500 + 700) * 2000 + 900; }));
  CHECK(window.panel().channel_at == 2);
}

TEST_CASE("each outer axis stands at one index or gives its mean, min or max", "[window][heatmap]") {
  std::vector<float> data(3 * 2 * 4 * 5);
  for (std::size_t i = 0; i < data.size(); ++i) data[i] = static_cast<float>(i);
  HeatmapFile window(data.data(), "float32", Layout::c_order({3, 2, 4, 5}, 32));
  const auto choose = [&](int axis, const char* use) {
    window.story.act([&](ImGuiTestContext* ui) {
      ui->ItemClick(("//Heat map/$$" + std::to_string(axis) + "/##use").c_str());
      ui->ItemClick((std::string("//$FOCUSED/") + use).c_str());
      ui->Yield(2);
    });
    window.finish();
  };
  choose(0, "max");
  CHECK(app::cells_text(window.panel().axes) == "[max, 0, :, :]");
  CHECK((window.panel().range.low == 80 && window.panel().range.high == 99));
  choose(1, "min");
  CHECK(app::cells_text(window.panel().axes) == "[max, min, :, :]");
  CHECK((window.panel().range.low == 80 && window.panel().range.high == 99));
  choose(1, "mean");
  CHECK((window.panel().range.low == 90 && window.panel().range.high == 109));
  choose(0, "mean");
  CHECK((window.panel().range.low == 50 && window.panel().range.high == 69));
  CHECK(window.panel().said == "computed on all 120 values");
  CHECK(window.panel().numbers_written == 20);
  choose(1, "tiles across");
  CHECK(window.panel().camera.column_limits.length == 10);
  choose(1, "one index");
  CHECK(app::cells_text(window.panel().axes) == "[mean, 0, :, :]");
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
  CHECK(window.panel().range_said == "the least to the greatest of all 1 000 000 values");
  window.panel().colours.range = app::RangeChoice::value_percentile;
  window.finish();
  CHECK((window.panel().range.low == 0 && window.panel().range.high == 0));
  CHECK(window.panel().range_said.find("1 % to 99 % of ") == 0);
}

TEST_CASE("with a host: a sample that says so, then exact texels, and no second question for the same picture",
          "[window][heatmap]") {
  HostWindow window;
  bring_up(window.story, kPanel);
  REQUIRE(window.asked<core::wire::ReduceTensor>() == 1);
  const std::uint64_t id = window.story.host().work.size();
  const auto asked = std::get<core::wire::ReduceTensor>(window.story.host().work.back());
  CHECK(asked.tensor ==
        core::wire::TensorRef{window.story.app().index()->snapshot->info.revision, window.story.app().selected()});
  core::Texels texels;
  texels.resize(
      {0, 0, static_cast<std::uint32_t>(asked.window.texel_rows()), static_cast<std::uint32_t>(asked.window.texel_columns())});
  std::ranges::fill(texels.flags, core::kTexelFinite);
  window.say(app::HostPart{id, texels});
  CHECK(window.story.app().panels().heatmap.said == "sample: a few values of each pixel");
  texels.method = core::TexelMethod::exact;
  texels.flags[0] = core::kTexelNan;
  window.say(app::HostPart{id, texels});
  window.say(app::HostWorkEnded{id, core::wire::WorkOutcome::done, {}, {}});
  CHECK(window.story.app().panels().heatmap.said == "computed on all 12 values");
  CHECK((window.story.app().panels().heatmap.range.flags & core::kTexelNan) != 0);
  window.story.frames(5);
  CHECK(window.asked<core::wire::ReduceTensor>() == 1);
  CHECK(window.story.app().tasks().all().empty());  // looking around is no work to look back at
  // While code runs nothing is asked for by itself, and what is shown says of when it is.
  window.start();
  CHECK(window.asked<core::wire::ReduceTensor>() == 1);
  CHECK(window.story.app().panels().heatmap.said == "read as of run 1; run 2 is running");
  window.run();
  bring_up(window.story, kPanel);
  CHECK(window.asked<core::wire::ReduceTensor>() == 2);  // anew, by itself
  window.say(app::HostWorkEnded{
      window.story.host().work.size(), core::wire::WorkOutcome::failed, "the byte at 0x10 cannot be read", {}});
  CHECK(window.story.app().panels().heatmap.said.find("cannot be read") != std::string::npos);
  window.story.frames(5);
  CHECK(window.asked<core::wire::ReduceTensor>() == 2);  // not again by itself
}

TEST_CASE("with a host: all values of a large tensor are read once in the background, of a still larger one none",
          "[window][heatmap]") {
  const struct {
    const char* dtype;
    std::int64_t side;
    std::uint64_t exact;
  } cases[] = {{"float32", 16'384, std::uint64_t{1} << 28}, {"uint8", 33'000, 0}};
  for (const auto& one : cases) {
    HostWindow window;
    window.start();
    auto left = std::make_shared<core::Snapshot>(*snapshot_of({{.name = "x", .dtype = one.dtype, .shape = {one.side, one.side}}}));
    left->info.run = window.story.host().runs.back().run;
    left->info.revision = 300;
    window.story.host().finish(finished(), left);
    window.story.frames(2);
    window.story.app().finish_background_work();
    bring_up(window.story, kPanel);
    std::uint64_t exact = 0;
    std::size_t answered = 0;
    for (; answered < window.story.host().work.size() && answered < 300; ++answered) {
      const auto* const asked = std::get_if<core::wire::ReduceTensor>(&window.story.host().work[answered]);
      if (asked == nullptr) continue;
      core::Texels texels;
      texels.resize({0, 0, static_cast<std::uint32_t>(asked->window.texel_rows()),
                     static_cast<std::uint32_t>(asked->window.texel_columns())});
      std::ranges::fill(texels.flags, core::kTexelFinite);
      if (asked->most_exact > 0) {
        exact += static_cast<std::uint64_t>(asked->window.rows) * static_cast<std::uint64_t>(asked->window.columns);
        texels.method = core::TexelMethod::exact;
        texels.flags[0] |= core::kTexelNan;
      }
      window.say(app::HostPart{answered + 1, texels});
      window.say(app::HostWorkEnded{answered + 1, core::wire::WorkOutcome::done, {}, {}});
      window.story.frames(2);
    }
    CHECK(answered < 300);
    CHECK(exact == one.exact);
    const app::HeatmapPanelState& panel = window.story.app().panels().heatmap;
    CHECK(panel.said == (one.exact > 0 ? "sample: a few values of each pixel; every NaN and infinity marked"
                                       : "sample: a few values of each pixel"));
    const std::uint32_t corner = panel.texture.pixel(1, 1);
    CHECK((corner == ImGui::GetColorU32(app::value_colour(app::theme_for(window.story.app().theme()), core::ValueClass::nan))) ==
          (one.exact > 0));
    // While code runs nothing more is asked for.
    const std::size_t before = window.asked<core::wire::ReduceTensor>();
    window.start();
    window.story.frames(5);
    CHECK(window.asked<core::wire::ReduceTensor>() == before);
  }
}

TEST_CASE("nothing of one tensor is painted for another whose values are not read by themselves", "[window][heatmap]") {
  HostWindow window;
  window.start();
  auto seen = std::make_shared<core::Snapshot>(
      *snapshot_of({{.name = "x", .shape = {4, 4}}, {.name = "z", .address = 0x558120001000, .shape = {4, 4}}}));
  seen->info.run = window.story.host().runs.back().run;
  seen->info.revision = 300;
  window.story.host().finish(finished(), seen);
  window.story.frames(2);
  window.story.app().finish_background_work();
  bring_up(window.story, kPanel);
  const auto asked = std::get<core::wire::ReduceTensor>(window.story.host().work.back());
  core::Texels texels;
  texels.resize(
      {0, 0, static_cast<std::uint32_t>(asked.window.texel_rows()), static_cast<std::uint32_t>(asked.window.texel_columns())});
  std::ranges::fill(texels.flags, core::kTexelFinite);
  window.say(app::HostPart{window.story.host().work.size(), texels});
  window.say(app::HostWorkEnded{window.story.host().work.size(), core::wire::WorkOutcome::done, {}, {}});
  const app::HeatmapPanelState& panel = window.story.app().panels().heatmap;
  const ImU32 of_x = panel.texture.pixel(4, 4);
  window.start();
  const std::size_t before = window.asked<core::wire::ReduceTensor>();
  window.story.app().select("z");
  window.story.frames(4);
  REQUIRE(panel.name == "z");
  CHECK(window.asked<core::wire::ReduceTensor>() == before);
  CHECK(panel.texture.pixel(4, 4) != of_x);
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
