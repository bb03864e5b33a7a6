// Pictures of the whole window from hand-made snapshots. What can be checked by a machine is checked here.
#include <imgui.h>

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "app/platform/png_file.h"
#include "app/platform/surface.h"
#include "app/widgets/pixel_texture.h"
#include "app/window/screenshot.h"
#include "tests/app/window/pictures/pictures.h"
#include "tests/support/local_tensor.h"
#include "tests/support/sample_snapshot.h"
#include "tests/support/temporary_folder.h"

namespace dlscope::app {

namespace fs = std::filesystem;

TEST_CASE("a picture keeps what it says of itself", "[window]") {
  const tests::TemporaryFolder folder;
  const std::string path = folder / "picture.png";
  Picture picture{2, 1, std::vector<std::byte>(8, std::byte{0x7f})};
  REQUIRE(write_png(picture, path, {{"Title", "x[:, :]"}, {"Description", "größer"}}));
  const auto said = text_in_png(path);
  const Pixels read = read_png(path);
  CHECK((read.width == 2 && read.height == 1));
  CHECK(said == std::vector<std::pair<std::string, std::string>>{{"Title", "x[:, :]"}, {"Description", "größer"}});
}

TEST_CASE("the tour is drawn in every layout, theme and scale", "[window]") {
  skip_without_gl();
  ScreenshotRequest request = tour_request();
  const Pixels dark = draw(request, "tour-debug-dark");
  request.theme = ThemeChoice::light;
  const Pixels light = draw(request, "tour-debug-light");
  CHECK(dark.rgba != light.rgba);
  request.theme = ThemeChoice::dark;
  request.layout = LayoutPreset::teach;
  CHECK(draw(request, "tour-teach").rgba != dark.rgba);
  request.layout = LayoutPreset::verify;
  CHECK(draw(request, "tour-verify").rgba != dark.rgba);
  request.layout = LayoutPreset::debug;
  request.scale = 2;
  CHECK(draw(request, "tour-200").rgba != dark.rgba);
  request.scale = 3;
  draw(request, "tour-300");
  request.scale = 1;
  request.width = 1280;
  request.height = 720;
  draw(request, "tour-1280x720");
}

TEST_CASE("the same request gives the same picture, pixel by pixel", "[window]") {
  skip_without_gl();
  const ScreenshotRequest request = tour_request();
  CHECK(draw(request, "tour-again-1").rgba == draw(request, "tour-again-2").rgba);
}

TEST_CASE("nothing, one, many and broken tensors are drawn", "[window]") {
  skip_without_gl();
  ScreenshotRequest request = tour_request();
  request.snapshot = nullptr;
  request.outcome = {};
  request.output_text.clear();
  draw(request, "not-run");
  request.snapshot = tests::empty_snapshot();
  request.outcome.outcome = core::Outcome::finished;
  draw(request, "empty");
  request.snapshot = tests::scalar_snapshot();
  draw(request, "one");
  request.snapshot = tests::many_snapshot(100'000);
  draw(request, "many");
  request.snapshot = tests::broken_snapshot();
  request.select = "unreadable";
  draw(request, "broken");
  request.theme = ThemeChoice::light;
  request.select = "strings";
  draw(request, "broken-light");
}

TEST_CASE("the layout view is drawn for every kind of layout", "[window]") {
  skip_without_gl();
  ScreenshotRequest request = tour_request();
  request.layout = LayoutPreset::teach;
  request.width = 1600;
  request.height = 1000;
  constexpr core::Address kAt = 0x558120001000;
  request.snapshot = tests::snapshot_of(
      {{.name = "x", .address = kAt, .shape = {4, 6}},
       {.name = "transposed", .address = kAt, .shape = {6, 4}, .strides = {1, 6}},
       {.name = "broadcast", .address = kAt + 0x1000, .shape = {4, 5}, .strides = {0, 1}},
       {.name = "reversed", .address = kAt + 88, .shape = {4, 3}, .strides = {-6, -2}},
       {.name = "every second", .address = kAt + 0x2000, .shape = {12}, .strides = {2}},
       {.name = "nothing", .address = kAt + 0x3000, .shape = {3, 0, 2}},
       {.name = "point", .dtype = "float64", .address = kAt + 0x4000},
       {.name = "six", .dtype = "int16", .address = kAt + 0x5000, .shape = {2, 3, 2, 2, 3, 4}},
       {.name = "packed", .dtype = "int4", .address = kAt + 0x6000, .shape = {3, 5}},
       {.name = "one", .dtype = "float64", .address = kAt + 0x7000, .shape = {3, 1}},
       {.name = "windows", .address = kAt + 0x8000, .shape = {9, 4}, .strides = {1, 1}},
       {.name = "large", .dtype = "uint8", .address = 0x7f3a10200000, .shape = {3000, 4000}, .strides = {8000, 2}},
       {.name = "null", .address = 0, .shape = {3, 4}}});
  for (const char* name : {"transposed", "broadcast", "reversed", "every second", "nothing", "point", "six", "packed", "one",
                           "windows", "large", "null"}) {
    request.select = name;
    request.element = 1;
    draw(request, "layout-" + std::string(name));
  }
  request.select = "transposed";
  request.element = 9;
  request.theme = ThemeChoice::light;
  draw(request, "layout-light");
  request.scale = 2;
  draw(request, "layout-200-light");
  request.theme = ThemeChoice::dark;
  request.scale = 3;
  draw(request, "layout-300");
  request.scale = 1;
  request.width = 1280;
  request.height = 720;
  draw(request, "layout-1280x720");
}

TEST_CASE("an error and a crash are said in the picture", "[window]") {
  skip_without_gl();
  ScreenshotRequest request = tour_request();
  const Pixels fine = draw(request, "fine");
  request.outcome.outcome = core::Outcome::raised;
  request.outcome.error = core::ScriptError{"ZeroDivisionError", "division by zero", 6, "Traceback ..."};
  CHECK(draw(request, "raised").rgba != fine.rgba);
  request.outcome = {};
  request.outcome.outcome = core::Outcome::crashed;
  request.outcome.signal = 11;
  CHECK(draw(request, "crashed").rgba != fine.rgba);
}

TEST_CASE("a picture that cannot be made says why", "[window]") {
  ScreenshotRequest request = tour_request();
  request.select = "nobody";
  request.output_path = "never.png";
  const auto unknown = write_screenshot(request);
  REQUIRE_FALSE(unknown.has_value());
  CHECK(unknown.error().kind == core::ErrorKind::not_found);
  CHECK(unknown.error().message.find("nobody") != std::string::npos);
  CHECK_FALSE(fs::exists("never.png"));
  skip_without_gl();
  request.select.clear();
  request.output_path = "/nonexistent-folder/x.png";
  const auto nowhere = write_screenshot(request);
  REQUIRE_FALSE(nowhere.has_value());
  CHECK(nowhere.error().kind == core::ErrorKind::environment);
  request.width = 1 << 28;
  const auto huge = write_screenshot(request);
  REQUIRE_FALSE(huge.has_value());
}

TEST_CASE("palette and sheets are drawn over the work, at every scale", "[window]") {
  skip_without_gl();
  constexpr std::pair<ActionId, const char*> kSheets[] = {{ActionId::palette, "palette"},
                                                          {ActionId::keys_sheet, "keys"},
                                                          {ActionId::settings_sheet, "settings"},
                                                          {ActionId::python_choose, "pythons"}};
  for (const int percent : {100, 200, 300}) {
    ScreenshotRequest request = tour_request();
    request.theme = percent == 100 ? ThemeChoice::dark : ThemeChoice::light;
    request.scale = static_cast<float>(percent) / 100;
    if (percent == 300) request.width = 1280, request.height = 720;
    const Pixels plain = draw(request, "frame-plain-" + std::to_string(percent));
    for (const auto& [sheet, name] : kSheets) {
      INFO(name << " at " << percent);
      request.ask = {sheet};
      CHECK(draw(request, "frame-" + std::string(name) + "-" + std::to_string(percent)).rgba != plain.rgba);
    }
  }
}

namespace {

constexpr int kSide = 200;

struct Plate {
  ImVec2 from, to;
  ImU32 colour;
};

// Plates in a window of their own each, in this order. A background that is all but clear in front of them makes the painter
// draw them as everything else.
Picture painted(PictureSurface& surface, const std::vector<Plate>& plates, bool as_everything_else) {
  for (int frame = 0; frame < 3; ++frame) {
    surface.begin_frame();
    if (as_everything_else) ImGui::GetBackgroundDrawList()->AddRectFilled({0, 0}, {kSide, kSide}, IM_COL32(0, 0, 0, 1));
    for (std::size_t i = 0; i < plates.size(); ++i) {
      ImGui::SetNextWindowPos({0, 0});
      ImGui::SetNextWindowSize({kSide, kSide});
      constexpr auto kFlags = ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoBackground | ImGuiWindowFlags_NoSavedSettings |
                              ImGuiWindowFlags_NoBringToFrontOnFocus;
      ImGui::Begin(std::to_string(i).c_str(), nullptr, kFlags);
      ImDrawList* list = ImGui::GetWindowDrawList();
      list->AddRectFilled(plates[i].from, plates[i].to, plates[i].colour);
      list->AddText({20 + 10 * static_cast<float>(i), 30}, IM_COL32_WHITE, "text over it");
      ImGui::End();
    }
    surface.end_frame();
  }
  return surface.read();
}

}  // namespace

TEST_CASE("a background is the same pixels whether it is cleared or drawn, at any fraction of a pixel", "[window]") {
  skip_without_gl();
  auto surface = open_picture(kSide, kSide);
  REQUIRE(surface.has_value());
  ImGui::GetStyle().Colors[ImGuiCol_DockingEmptyBg] = {0, 0, 0, 1};
  const ImU32 red = IM_COL32(200, 30, 20, 255), green = IM_COL32(20, 180, 30, 255), pale = IM_COL32(90, 90, 250, 120);
  const std::vector<std::vector<Plate>> cases{
      {{{10.3F, 10.7F}, {90.2F, 60.8F}, red}},
      {{{10, 10}, {120, 120}, red}, {{60.4F, 20.6F}, {150.4F, 90.6F}, green}},    // over the first one's text
      {{{10, 10}, {120, 120}, red}, {{130, 20}, {190, 90}, green}},               // beside it
      {{{10, 10}, {120, 120}, pale}, {{100, 20}, {190, 90}, green}},              // not opaque
      {{{-20, -20}, {500, 500}, red}, {{30.5F, 25.5F}, {170.5F, 60.5F}, pale}}};  // past the edges
  for (const auto& plates : cases) {
    const Picture cleared = painted(**surface, plates, false), drawn = painted(**surface, plates, true);
    REQUIRE(std::ranges::count(cleared.rgba, cleared.rgba[0]) < static_cast<std::ptrdiff_t>(cleared.rgba.size()));
    CHECK(cleared.rgba == drawn.rgba);
  }
}

TEST_CASE("a frame equal to the one before is not painted, and one that differs is", "[window]") {
  skip_without_gl();
  auto surface = open_picture(kSide, kSide);
  REQUIRE(surface.has_value());
  float x = 10;
  const auto frame = [&] {
    (*surface)->begin_frame();
    ImGui::GetBackgroundDrawList()->AddRectFilled({x, 10}, {x + 50, 90}, IM_COL32(200, 30, 20, 255));
    (*surface)->end_frame();
    return (*surface)->counters().painted_pixels > 0;
  };
  for (int i = 0; i < 3; ++i) static_cast<void>(frame());  // Dear ImGui's own windows settle
  const Picture before = (*surface)->read();
  CHECK_FALSE(frame());
  CHECK((*surface)->read().rgba == before.rgba);
  x = 11;
  CHECK(frame());
  CHECK((*surface)->read().rgba != before.rgba);
  CHECK_FALSE(frame());
  ImGui::GetStyle().Colors[ImGuiCol_DockingEmptyBg] = {1, 1, 1, 1};  // nothing drawn differs, what lies under it does
  CHECK(frame());
}

namespace {

// Windows that move, change colour, come, go and overlap, a few with every frame; always the same ones.
std::vector<Picture> restless(bool paint_whole, int& painted_pixels) {
  auto surface = open_picture(kSide, kSide);
  REQUIRE(surface.has_value());
  std::mt19937 random(7);
  const auto number = [&](int most) { return static_cast<float>(random() % static_cast<unsigned>(most * 10)) / 10; };
  struct Window {
    ImVec2 at, size;
    ImU32 colour = 0;
    std::string text;
    bool shown = true;
  };
  std::vector<Window> windows(6);
  std::vector<Picture> pictures;
  for (int frame = 0; frame < 80; ++frame) {
    for (Window& window : windows) {
      if (frame > 0 && random() % 4 != 0) continue;
      window = {{number(150), number(150)}, {20 + number(60), 20 + number(60)}, 0, std::to_string(random()), random() % 8 != 0};
      window.colour = IM_COL32(random() % 256, random() % 256, random() % 256, random() % 3 == 0 ? 100 : 255);
    }
    if (paint_whole) (*surface)->paint_whole();
    (*surface)->begin_frame();
    for (std::size_t i = 0; i < windows.size(); ++i) {
      if (!windows[i].shown) continue;
      ImGui::SetNextWindowPos(windows[i].at);
      ImGui::SetNextWindowSize(windows[i].size);
      ImGui::PushStyleColor(ImGuiCol_WindowBg, windows[i].colour);
      constexpr auto kFlags = ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoSavedSettings |
                              ImGuiWindowFlags_NoBringToFrontOnFocus | ImGuiWindowFlags_NoFocusOnAppearing;
      ImGui::Begin(std::to_string(i).c_str(), nullptr, kFlags);
      ImGui::PushClipRect({windows[i].at.x + 3.7F, windows[i].at.y}, {windows[i].at.x + 44.2F, windows[i].at.y + 30.6F}, true);
      ImGui::TextUnformatted(windows[i].text.c_str());
      ImGui::PopClipRect();
      ImGui::End();
      ImGui::PopStyleColor();
    }
    (*surface)->end_frame();
    painted_pixels += (*surface)->counters().painted_pixels;
    pictures.push_back((*surface)->read());
  }
  return pictures;
}

}  // namespace

TEST_CASE("painting what differs gives the pictures that painting everything gives", "[window]") {
  skip_without_gl();
  int painted = 0, whole = 0;
  const std::vector<Picture> in_parts = restless(false, painted), all = restless(true, whole);
  CHECK(whole == 80 * kSide * kSide);
  CHECK(painted < whole * 9 / 10);
  REQUIRE(in_parts.size() == all.size());
  for (std::size_t i = 0; i < all.size(); ++i) {
    INFO("frame " << i);
    CHECK(in_parts[i].rgba == all[i].rgba);
  }
}

namespace {

// Pixels of a panel at a place, text below them and a red square over them; cut off by a clip rectangle or by the edges of the picture.
struct PixelScene {
  ImVec2 at;
  int width = 0, height = 0;
  bool over_edge = false;
};

Picture with_pixels(PictureSurface& surface, const PixelScene& scene, int frames) {
  PixelTexture texture;
  Picture out;
  for (int frame = 0; frame < frames; ++frame) {
    std::uint32_t* const pixels = texture.begin(scene.width, scene.height);
    for (int y = 0; y < scene.height; ++y) {
      for (int x = 0; x < scene.width; ++x)
        pixels[y * texture.pitch() + x] = IM_COL32(x * 3 % 256, y * 5 % 256, (x * y + frame) % 256, 255);
    }
    texture.changed();
    surface.begin_frame();
    ImDrawList* list = ImGui::GetBackgroundDrawList();
    list->AddText({scene.at.x + 3, scene.at.y + 3}, IM_COL32_WHITE, "below");
    if (!scene.over_edge) list->PushClipRect({scene.at.x + 5, scene.at.y + 7}, {scene.at.x + 61, scene.at.y + 40});
    texture.draw(list, scene.at);
    if (!scene.over_edge) list->PopClipRect();
    list->AddRectFilled({scene.at.x + 20, scene.at.y + 10}, {scene.at.x + 30, scene.at.y + 20}, IM_COL32(255, 0, 0, 255));
    surface.end_frame();
  }
  out = surface.read();
  CHECK(texture.pixel(1, 2) == static_cast<std::uint32_t>(IM_COL32(3, 10, (2 + frames - 1) % 256, 255)));
  return out;
}

std::uint32_t pixel_of(const Picture& picture, int x, int y) {
  std::uint32_t out = 0;
  std::memcpy(&out,
              picture.rgba.data() +
                  (static_cast<std::size_t>(y) * static_cast<std::size_t>(picture.width) + static_cast<std::size_t>(x)) * 4,
              4);
  return out;
}

}  // namespace

TEST_CASE("pixels of a panel stand in the frame as they are, over what is below them and below what is over them", "[window]") {
  skip_without_gl();
  auto surface = open_picture(kSide, kSide);
  REQUIRE(surface.has_value());
  const ImU32 ground = ImGui::GetColorU32(ImGuiCol_DockingEmptyBg);
  for (const PixelScene& scene :
       {PixelScene{{30, 40}, 90, 60}, PixelScene{{150, 170}, 90, 60, true}, PixelScene{{0, 0}, 200, 200}}) {
    const int frames = 3;
    const Picture picture = with_pixels(**surface, scene, frames);
    int different = 0;
    for (int y = 0; y < kSide; ++y) {
      for (int x = 0; x < kSide; ++x) {
        const int tx = x - static_cast<int>(scene.at.x), ty = y - static_cast<int>(scene.at.y);
        const bool seen = scene.over_edge ? tx >= 0 && ty >= 0 : tx >= 5 && tx < 61 && ty >= 7 && ty < 40;
        const bool below_text = !seen && tx >= 0 && tx < 60 && ty >= 0 && ty < 30;
        if (below_text) continue;
        ImU32 expected =
            seen ? IM_COL32(tx * 3 % 256, ty * 5 % 256, (tx * ty + frames - 1) % 256, 255) : (ground | IM_COL32_A_MASK);
        if (tx >= 20 && tx < 30 && ty >= 10 && ty < 20) expected = IM_COL32(255, 0, 0, 255);
        different += pixel_of(picture, x, y) == expected ? 0 : 1;
      }
    }
    CHECK(different == 0);
  }
}

}  // namespace dlscope::app
