// The axes of the heat map in the window: on a slider, as tiles, reduced, reversed, and as the channels of an image.
#include <catch2/catch_test_macros.hpp>

#include <cmath>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "app/models/focus/focus_text.h"
#include "app/models/heatmap/heatmap_axes.h"
#include "tests/app/window/stories/heatmap_window.h"

namespace dlscope::tests {

using core::Layout;

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
  data[(2 * 1500 + 700) * 2000 + 900] = std::numeric_limits<float>::quiet_NaN();
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

}  // namespace dlscope::tests
