// Pictures of the real window drawn off screen from hand-made snapshots. What can be checked by a machine is checked here;
// the files stay in the build folder (pictures/) to be looked at.
#include <imgui.h>
#include <png.h>
#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <limits>
#include <random>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "app/platform/surface.h"
#include "app/window/screenshot.h"
#include "tests/support/local_tensor.h"
#include "tests/support/sample_snapshot.h"

namespace dlscope::app {
namespace {

namespace fs = std::filesystem;

struct Pixels {
  unsigned width = 0, height = 0;
  std::vector<std::uint32_t> rgba;
  [[nodiscard]] std::size_t colours() const { return std::set<std::uint32_t>(rgba.begin(), rgba.end()).size(); }
};

Pixels read_png(const std::string& path) {
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  REQUIRE(png_image_begin_read_from_file(&image, path.c_str()) != 0);
  image.format = PNG_FORMAT_RGBA;
  Pixels pixels{image.width, image.height, {}};
  pixels.rgba.resize(std::size_t{image.width} * image.height);
  REQUIRE(png_image_finish_read(&image, nullptr, pixels.rgba.data(), 0, nullptr) != 0);
  return pixels;
}

void skip_without_gl() {
  const auto driver = probe_offscreen();
  if (!driver) SKIP(driver.error().message);
}

Pixels draw(ScreenshotRequest request, const std::string& name) {
  const char* build = std::getenv("DLSCOPE_BUILD_DIR");
  const fs::path folder = (build != nullptr ? fs::path(build) : fs::temp_directory_path()) / "pictures";
  fs::create_directories(folder);
  request.output_path = (folder / (name + ".png")).string();
  const auto written = write_screenshot(request);
  INFO((written ? std::string() : written.error().message));
  REQUIRE(written.has_value());
  const Pixels pixels = read_png(request.output_path);
  CHECK(pixels.width == static_cast<unsigned>(request.width));
  CHECK(pixels.height == static_cast<unsigned>(request.height));
  CHECK(pixels.colours() > 20);
  return pixels;
}

ScreenshotRequest tour_request() {
  ScreenshotRequest request;
  request.snapshot = tests::tour_snapshot();
  request.outcome.outcome = core::Outcome::finished;
  request.script_path = "tour.py";
  request.script_text = tests::tour_script();
  request.output_text = "x and y share: True\n";
  request.python = "Python 3.11.7 · .venv";
  return request;
}

}  // namespace

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

TEST_CASE("the statistics of a tensor are drawn in both themes and at every scale", "[window]") {
  skip_without_gl();
  std::mt19937 random(1);
  std::normal_distribution<float> normal(0, 1);
  std::vector<float> values(200'000);
  for (float& x : values) x = normal(random);
  values[123'456] = std::numeric_limits<float>::quiet_NaN();
  values[7] = 1e6F;
  const std::vector<std::int32_t> counts{0, 1, 1, 2, 2, 2, 3, 3, 5, 9};
  ScreenshotRequest request = tour_request();
  request.reader = core::process_reader(0).value();
  request.ask = {show_panel(ActionContext::statistics)};
  request.snapshot = tests::local_tensor(values.data(), *core::dtype_from_name("float32"), core::Layout::c_order({400, 500}, 32));
  const Pixels dark = draw(request, "statistics-dark");
  request.theme = ThemeChoice::light;
  request.scale = 2;
  CHECK(draw(request, "statistics-light-200").rgba != dark.rgba);
  request.scale = 1;
  request.layout = LayoutPreset::teach;
  draw(request, "statistics-teach-light");
  request.layout = LayoutPreset::debug;
  request.width = 1280;
  request.height = 720;
  draw(request, "statistics-1280x720");
  request.snapshot = tests::local_tensor(counts.data(), *core::dtype_from_name("int32"), core::Layout::c_order({10}, 32));
  draw(request, "statistics-whole-numbers");
  const std::vector<double> nan(12, std::numeric_limits<double>::quiet_NaN());
  request.snapshot = tests::local_tensor(nan.data(), *core::dtype_from_name("float64"), core::Layout::c_order({12}, 64));
  draw(request, "statistics-all-nan");
}

TEST_CASE("the heat map is drawn in both themes and at every scale", "[window]") {
  skip_without_gl();
  constexpr std::int64_t kRows = 400, kColumns = 500;
  std::vector<float> values(kRows * kColumns);
  for (std::int64_t row = 0; row < kRows; ++row) {
    for (std::int64_t column = 0; column < kColumns; ++column)
      values[static_cast<std::size_t>(row * kColumns + column)] =
          std::sin(static_cast<float>(row) / 40) * std::cos(static_cast<float>(column) / 60);
  }
  values[123 * kColumns + 456] = std::numeric_limits<float>::quiet_NaN();
  values[300 * kColumns + 20] = std::numeric_limits<float>::infinity();
  ScreenshotRequest request = tour_request();
  request.reader = core::process_reader(0).value();
  request.ask = {show_panel(ActionContext::heatmap)};
  request.snapshot = tests::local_tensor(values.data(), *core::dtype_from_name("float32"), core::Layout::c_order({kRows, kColumns}, 32));
  const Pixels dark = draw(request, "heatmap-dark");
  request.theme = ThemeChoice::light;
  request.scale = 2;
  CHECK(draw(request, "heatmap-light-200").rgba != dark.rgba);
  request.scale = 1;
  request.layout = LayoutPreset::teach;
  draw(request, "heatmap-teach-light");
  request.layout = LayoutPreset::debug;
  request.snapshot = tests::local_tensor(values.data(), *core::dtype_from_name("float32"), core::Layout::c_order({2, 3, 4, 5}, 32));
  draw(request, "heatmap-rank-4");
  request.snapshot = tests::local_tensor(values.data(), *core::dtype_from_name("float32"), core::Layout::c_order({}, 32));
  draw(request, "heatmap-scalar");
  request.snapshot = tests::local_tensor(values.data(), *core::dtype_from_name("float32"), core::Layout::c_order({0, 3}, 32));
  draw(request, "heatmap-size-0");
}

TEST_CASE("the hex view is drawn in both themes, at every scale, with holes and with pages that are not there", "[window]") {
  skip_without_gl();
  std::vector<float> values(4096);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i) * 0.5F;
  values[37] = std::numeric_limits<float>::quiet_NaN();
  const core::DType float32 = *core::dtype_from_name("float32");
  ScreenshotRequest request = tour_request();
  request.reader = core::process_reader(0).value();
  request.ask = {show_panel(ActionContext::hex)};
  request.element = 37;
  request.snapshot = tests::local_tensor(values.data(), float32, core::Layout::c_order({64, 64}, 32));
  const Pixels dark = draw(request, "hex-dark");
  request.theme = ThemeChoice::light;
  CHECK(draw(request, "hex-light").rgba != dark.rgba);
  request.scale = 2;
  draw(request, "hex-light-200");
  request.theme = ThemeChoice::dark;
  draw(request, "hex-dark-200");
  request.scale = 1;
  request.layout = LayoutPreset::teach;
  draw(request, "hex-teach");
  request.layout = LayoutPreset::debug;
  request.element.reset();
  request.snapshot = tests::local_tensor(values.data(), float32, core::Layout::from_element_strides({8, 20}, {64, 3}, 32));
  draw(request, "hex-holes");
  request.width = 1280;
  request.height = 720;
  draw(request, "hex-1280x720");
  request.width = 1920;
  request.height = 1080;
  request.snapshot = tests::tour_snapshot();  // nothing lies at its addresses
  draw(request, "hex-not-mapped");
  request.snapshot = tests::empty_snapshot();
  draw(request, "hex-empty");
}

TEST_CASE("a stop is drawn in every theme, size and scale", "[window]") {
  skip_without_gl();
  ScreenshotRequest request = tour_request();
  request.script_path = "/home/user/tour.py";
  request.outcome = {};
  const Pixels before = draw(request, "stop-none");
  core::wire::Stopped stop;
  stop.stop = 1;
  stop.thread = "MainThread";
  stop.frames = {{"share", "/home/user/tour.py", 14, true},
                 {"_call", "/usr/lib/python3/functools.py", 81, false},
                 {"wrapper", "/usr/lib/python3/functools.py", 42, false},
                 {"<module>", "/home/user/tour.py", 16, true}};
  request.stop = stop;
  for (const auto& [line, condition, log] : {std::tuple{14U, "a is not b", ""}, {5U, "", ""}, {9U, "", "w is {w}"}}) {
    core::wire::Breakpoint b;
    b.path = request.script_path;
    b.line = line;
    b.condition = condition;
    b.log_text = log;
    request.breakpoints.push_back(b);
  }
  request.watches = {"x.shape", "y.flags.owndata"};
  const Pixels dark = draw(request, "stop-dark");
  CHECK(dark.rgba != before.rgba);
  request.theme = ThemeChoice::light;
  CHECK(draw(request, "stop-light").rgba != dark.rgba);
  request.theme = ThemeChoice::dark;
  request.scale = 2;
  draw(request, "stop-200");
  request.scale = 1;
  request.width = 1280;
  request.height = 720;
  draw(request, "stop-1280x720");
  request.theme = ThemeChoice::light;
  request.scale = 2;
  draw(request, "stop-1280x720-200-light");
}

TEST_CASE("the frames of an exception and a crash are drawn in every theme, size and scale", "[window]") {
  skip_without_gl();
  const auto draw_all = [](ScreenshotRequest request, const std::string& name) {
    const Pixels dark = draw(request, name + "-dark");
    request.theme = ThemeChoice::light;
    CHECK(draw(request, name + "-light").rgba != dark.rgba);
    request.scale = 2;
    draw(request, name + "-200-light");
    request.theme = ThemeChoice::dark;
    request.width = 1280;
    request.height = 720;
    draw(request, name + "-1280x720-200");
  };
  ScreenshotRequest request = tour_request();
  request.script_path = "/home/user/tour.py";
  request.watches = {"x.shape", "nope"};
  request.outcome = {};
  request.outcome.outcome = core::Outcome::raised;
  request.outcome.error = core::ScriptError{"MemoryError", "Unable to allocate 8.00 TiB", 14, ""};
  core::wire::Stopped ended;
  ended.stop = 1;
  ended.reason = core::wire::StopReason::ended;
  ended.words = "MemoryError: Unable to allocate 8.00 TiB for an array with shape (1099511627776,) and data type float64";
  ended.frames = {{"share", "/home/user/tour.py", 14, true},
                  {"_call", "/usr/lib/python3/functools.py", 81, false},
                  {"wrapper", "/usr/lib/python3/functools.py", 42, false},
                  {"<module>", "/home/user/tour.py", 16, true},
                  {"read", "/home/user/tour.py", 9, true, "Raised while this was handled: KeyError: 'weights'"},
                  {"share", "/home/user/tour.py", 12, true}};
  request.stop = ended;
  draw_all(request, "ended");

  request.stop.reset();
  request.outcome = {};
  request.outcome.outcome = core::Outcome::crashed;
  request.outcome.signal = 11;
  core::CrashFacts crash;
  crash.address = 0x7f3a10002008;
  crash.access = core::CrashFacts::Access::write;
  crash.memory = "no memory is mapped there";
  crash.where = "By the last look, in this run, the address lies 8 bytes past the end of x.";
  crash.native = {{"/usr/lib/x86_64-linux-gnu/libc.so.6", 0x16a2b1, {}},
                  {"/usr/lib/python3.12/lib-dynload/_ctypes.cpython-312-x86_64-linux-gnu.so", 0x9d20, {}},
                  {"/usr/lib/libpython3.12.so.1.0", 0x1f2a30, {}},
                  {"/usr/lib/libpython3.12.so.1.0", 0x1f2b90, {}}};
  request.outcome.crash = crash;
  draw_all(request, "crash");

  request.outcome = {};
  request.outcome.outcome = core::Outcome::finished;
  auto nothing = std::make_shared<core::Snapshot>(*tests::snapshot_of({}));
  nothing->info.functions_returned = true;
  nothing->info.last_function = {static_cast<std::uint32_t>(nothing->text.size()), 4};
  for (const char c : std::string_view("main")) nothing->text.push_back(c);
  request.snapshot = nothing;
  draw_all(request, "all-local");
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

core::wire::HandedOver shared_hand_over() {
  core::wire::HandedOver done;
  done.verdict = "SHARED";
  done.step = {"weights", "weights_torch", core::HandOver::shared, core::Relation::identical, 3072, 0x7f1200004000, 0x7f1200004000,
               core::Probe::not_armed, "yes", "yes", "both are the same 3072 bytes"};
  done.calls = {{"weights.__dlpack_device__()", "(1, 0)", false},
                {"weights.__dlpack__(max_version=(1, 0))", "capsule 'dltensor_versioned'", false},
                {"the capsule is consumed", "renamed 'used_dltensor_versioned'", false},
                {"torch.from_dlpack(weights)", "a torch.Tensor", false}};
  done.line = "weights_torch = torch.from_dlpack(weights)";
  done.name = "weights_torch";
  done.type = "torch.Tensor";
  done.read_only = "nothing to keep: the source may be written";
  done.owner = "weights's memory (numpy); weights_torch keeps it alive too, also when weights is gone";
  return done;
}

core::wire::HandedOver refused_hand_over() {
  core::wire::HandedOver done;
  done.verdict = "REFUSED";
  done.error_type = "BufferError";
  done.error = "Cannot export readonly array since signalling readonly is unsupported by DLPack (supported by newer DLPack version).";
  done.calls = {{"weights.__dlpack_device__()", "(1, 0)", false},
                {"weights.__dlpack__(stream=None)", "BufferError: Cannot export readonly array since signalling readonly is unsupported by DLPack", true}};
  done.line = "weights_jax = jax.dlpack.from_dlpack(weights)";
  return done;
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

TEST_CASE("a hand-over and a refusal are drawn with their calls and their evidence", "[window]") {
  skip_without_gl();
  for (const LayoutPreset layout : {LayoutPreset::verify, LayoutPreset::teach}) {
    for (const float scale : {1.0F, 2.0F}) {
      for (const bool shared : {true, false}) {
        ScreenshotRequest request = tour_request();
        request.layout = layout;
        request.scale = scale;
        request.handed = shared ? shared_hand_over() : refused_hand_over();
        const std::string name = std::string("exchange_") + (shared ? "shared_" : "refused_") +
                                 (layout == LayoutPreset::verify ? "verify_" : "teach_") + (scale > 1 ? "200" : "100");
        ScreenshotRequest without = request;
        without.handed.reset();
        CHECK(draw(request, name).rgba != draw(without, name + "_without").rgba);
      }
    }
  }
}

namespace {

// x against others that differ from it in one way or another.
class ComparedTensors {
 public:
  ComparedTensors() {
    const core::DType f32 = *core::dtype_from_name("float32"), f64 = *core::dtype_from_name("float64");
    for (std::size_t i = 0; i < kElements; ++i) {
      x_[i] = equal_[i] = holes_[i] = static_cast<float>(i) * 0.25F - 100;
      turned_[i % 40 * 60 + i / 40] = static_cast<double>(x_[i]) + (i % 97 == 5 ? 0.125 : 0);
    }
    holes_[7] = std::numeric_limits<float>::quiet_NaN();
    holes_[815] = std::numeric_limits<float>::infinity();
    const core::Layout layout = core::Layout::c_order({60, 40}, 32);
    snapshot = tests::local_tensors({{"x", x_.data(), f32, layout},
                                     {"equal", equal_.data(), f32, layout},
                                     {"different", turned_.data(), f64, core::Layout::from_element_strides({60, 40}, {1, 60}, 64)},
                                     {"holes", holes_.data(), f32, layout},
                                     {"one_row", x_.data(), f32, core::Layout::c_order({40}, 32)},
                                     {"other_shape", x_.data(), f32, core::Layout::c_order({40, 60}, 32)},
                                     {"cube", x_.data(), f32, core::Layout::c_order({2, 30, 40}, 32)},
                                     {"same_cube", equal_.data(), f32, core::Layout::c_order({2, 30, 40}, 32)},
                                     {"nowhere", reinterpret_cast<const void*>(std::uintptr_t{64}), f32, layout}});
  }
  core::SnapshotPtr snapshot;

 private:
  static constexpr std::size_t kElements = 2400;
  std::vector<float> x_ = std::vector<float>(kElements), equal_ = x_, holes_ = x_;
  std::vector<double> turned_ = std::vector<double>(kElements);
};

}  // namespace

TEST_CASE("comparisons are drawn: equal, different, of other shapes, with NaN, of memory that cannot be read", "[window][compare]") {
  skip_without_gl();
  const ComparedTensors tensors;
  std::set<std::vector<std::uint32_t>> pictures;
  int drawn = 0;
  for (const auto& [a, b] : std::vector<std::pair<const char*, const char*>>{{"x", "equal"}, {"x", "different"}, {"x", "holes"}, {"x", "one_row"},
                                                                             {"x", "other_shape"}, {"cube", "same_cube"}, {"x", "nowhere"}}) {
    for (const bool large : {false, true}) {
      ScreenshotRequest request = tour_request();
      request.snapshot = tensors.snapshot;
      request.reader = *core::process_reader(0);
      request.select = a;
      request.compare = b;
      request.scale = large ? 2.0F : 1.0F;
      request.theme = large ? ThemeChoice::light : ThemeChoice::dark;
      request.layout = large ? LayoutPreset::teach : LayoutPreset::verify;
      request.ask = {ActionId::compare_values};
      pictures.insert(draw(request, std::string("compare_") + a + "_" + b + (large ? "_200" : "_100")).rgba);
      ++drawn;
    }
  }
  CHECK(pictures.size() == static_cast<std::size_t>(drawn));
}

}  // namespace dlscope::app
