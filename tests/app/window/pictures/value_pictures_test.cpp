// Pictures of the panels that show values: statistics, heat map, hex; each with what it is for and with what is missing or broken.
#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "app/window/screenshot.h"
#include "tests/app/window/pictures/pictures.h"
#include "tests/support/local_tensor.h"
#include "tests/support/sample_snapshot.h"
#include "tests/support/temporary_folder.h"

namespace dlscope::app {

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

TEST_CASE("the field of the values that takes a place or a value is drawn in both themes and at every scale", "[window]") {
  skip_without_gl();
  const std::vector<float> values(600, 1.5F);
  ScreenshotRequest request = tour_request();
  request.reader = core::process_reader(0).value();
  request.ask = {ActionId::values_go_to};
  request.snapshot = tests::local_tensor(values.data(), *core::dtype_from_name("float32"), core::Layout::c_order({20, 30}, 32));
  const Pixels dark = draw(request, "values-go-to-dark");
  request.theme = ThemeChoice::light;
  request.scale = 2;
  CHECK(draw(request, "values-go-to-light-200").rgba != dark.rgba);
}

TEST_CASE("a tensor and its expected values in a file are drawn side by side, also where their shapes differ",
          "[window][compare]") {
  skip_without_gl();
  const tests::TemporaryFolder folder;
  std::vector<float> values(60 * 80);
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] = std::sin(static_cast<float>(i / 80) * 0.2F) * static_cast<float>(i % 80);
  std::vector<float> expected = values;
  expected[7 * 80 + 11] += 100;
  expected[50 * 80 + 70] += 0.5F;
  const auto npy = [](const std::vector<float>& numbers) {
    std::string header = "{'descr': '<f4', 'fortran_order': False, 'shape': (60, 80), }";
    header.resize(118 - 1, ' ');
    return "\x93NUMPY" + std::string("\x01\0\x76\0", 4) + header + '\n' +
           std::string(reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(float));
  };
  ScreenshotRequest request = tour_request();
  request.reader = core::process_reader(0).value();
  request.ask = {show_panel(ActionContext::compare)};
  request.snapshot = tests::local_tensor(values.data(), *core::dtype_from_name("float32"), core::Layout::c_order({60, 80}, 32));
  request.select = "x";
  request.compare_file = folder.write("expected.npy", npy(expected));
  const Pixels dark = draw(request, "compare-file-dark");
  request.scale = 2;
  draw(request, "compare-file-dark-200");
  request.theme = ThemeChoice::light;
  CHECK(draw(request, "compare-file-light-200").rgba != dark.rgba);
  request.scale = 1;
  request.width = 1280;
  request.height = 720;
  draw(request, "compare-file-1280x720");
  request.snapshot = tests::local_tensor(values.data(), *core::dtype_from_name("float32"), core::Layout::c_order({80, 60}, 32));
  draw(request, "compare-file-other-shape");
  request.compare_file.clear();
  draw(request, "compare-none");
}

TEST_CASE("the figure of a heat map has its title, its axes and its legend, at every size", "[window][heatmap]") {
  skip_without_gl();
  std::vector<float> values(400 * 300);
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] = static_cast<float>(std::sin(static_cast<double>(i / 300) * 0.05) * std::cos(static_cast<double>(i % 300) * 0.03));
  values[40 * 300 + 200] = std::numeric_limits<float>::quiet_NaN();
  values[9] = std::numeric_limits<float>::infinity();
  ScreenshotRequest request = tour_request();
  request.reader = core::process_reader(0).value();
  request.ask = {show_panel(ActionContext::heatmap)};
  request.snapshot = tests::local_tensor(values.data(), *core::dtype_from_name("float32"), core::Layout::c_order({400, 300}, 32));
  const auto figure = [&](const std::string& name) {
    request.figure_path = picture_path(name);
    const Pixels window = draw(request, name + "-window");
    const Pixels pixels = read_png(request.figure_path);
    CHECK((pixels.width < window.width && pixels.height < window.height));
    CHECK(pixels.colours() > 100);
    const auto text = text_in_png(request.figure_path);
    REQUIRE(text.size() == 3);
    CHECK(text[0].second.ends_with("[:, :]"));
    CHECK(text[1].second.find("float32, shape (400, 300).\nRows 0 to 399 of 400, columns 0 to 299 of 300.\n") !=
          std::string::npos);
    return std::pair(window, pixels);
  };
  const auto [window, dark] = figure("figure-dark");
  // The middle of the figure is in the window, pixel by pixel.
  const auto row_of = [](const Pixels& of, std::size_t y) { return std::span(of.rgba).subspan(y * of.width, of.width); };
  const std::size_t middle = dark.height / 2, half = dark.height / 4;
  std::size_t left = 0, top = 0;
  for (std::size_t y = 0; y < window.height && top == 0; ++y) {
    const auto found = std::ranges::search(row_of(window, y), row_of(dark, middle));
    if (found.empty()) continue;
    top = y;
    left = static_cast<std::size_t>(found.begin() - row_of(window, y).begin());
  }
  REQUIRE(top > half);
  bool same = true;
  for (std::size_t y = middle - half; y < middle + half; ++y)
    same = same && std::ranges::equal(row_of(window, top + y - middle).subspan(left, dark.width), row_of(dark, y));
  CHECK(same);
  request.theme = ThemeChoice::light;
  request.scale = 2;
  figure("figure-light-200");
  request.scale = 1;
  request.width = 1280;
  request.height = 720;
  figure("figure-light-1280x720");
  request.width = 3840;
  request.height = 2160;
  figure("figure-light-4k");

  // Axes on sliders are controls too: only their indices are left, in the title.
  request.width = 1920;
  request.height = 1080;
  request.theme = ThemeChoice::dark;
  request.snapshot =
      tests::local_tensor(values.data(), *core::dtype_from_name("float32"), core::Layout::c_order({4, 5, 60, 100}, 32));
  request.figure_path = picture_path("figure-rank-4");
  draw(request, "figure-rank-4-window");
  const Pixels of_four = read_png(request.figure_path);
  CHECK(of_four.colours() > 100);
  CHECK(text_in_png(request.figure_path)[0].second.ends_with("[0, 0, :, :]"));
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
  request.snapshot =
      tests::local_tensor(values.data(), *core::dtype_from_name("float32"), core::Layout::c_order({kRows, kColumns}, 32));
  const Pixels dark = draw(request, "heatmap-dark");
  request.theme = ThemeChoice::light;
  request.scale = 2;
  CHECK(draw(request, "heatmap-light-200").rgba != dark.rgba);
  request.scale = 1;
  request.layout = LayoutPreset::teach;
  draw(request, "heatmap-teach-light");
  request.layout = LayoutPreset::debug;
  request.snapshot =
      tests::local_tensor(values.data(), *core::dtype_from_name("float32"), core::Layout::c_order({2, 3, 4, 5}, 32));
  draw(request, "heatmap-rank-4");
  request.snapshot = tests::local_tensor(values.data(), *core::dtype_from_name("float32"), core::Layout::c_order({}, 32));
  draw(request, "heatmap-scalar");
  request.snapshot = tests::local_tensor(values.data(), *core::dtype_from_name("float32"), core::Layout::c_order({0, 3}, 32));
  draw(request, "heatmap-size-0");
}

TEST_CASE("the heat map is drawn as an image, with alpha, by channels first, and with outer axes reduced", "[window]") {
  skip_without_gl();
  constexpr std::int64_t kRows = 360, kColumns = 540;
  std::vector<std::uint8_t> rgba(kRows * kColumns * 4);
  for (std::int64_t i = 0; i < kRows * kColumns; ++i) {
    const auto row = static_cast<double>(i / kColumns) / kRows, column = static_cast<double>(i % kColumns) / kColumns;
    const double far = std::hypot(row - 0.5, column - 0.5);
    const double numbers[4] = {column, row, far < 0.3 ? 1 : 0.2, far < 0.45 ? 1 : 0.4};
    for (std::int64_t c = 0; c < 4; ++c) rgba[static_cast<std::size_t>(i * 4 + c)] = static_cast<std::uint8_t>(numbers[c] * 255);
  }
  std::vector<float> planes(3 * kRows * kColumns);
  for (std::int64_t i = 0; i < kRows * kColumns; ++i) {
    for (std::int64_t c = 0; c < 3; ++c)
      planes[static_cast<std::size_t>(c * kRows * kColumns + i)] =
          static_cast<float>(rgba[static_cast<std::size_t>(i * 4 + c)]) / 200.0F - 0.1F;
  }
  planes[100 * kColumns + 400] = std::numeric_limits<float>::quiet_NaN();
  ScreenshotRequest request = tour_request();
  request.reader = core::process_reader(0).value();
  request.ask = {show_panel(ActionContext::heatmap), ActionId::heatmap_as_image};
  const auto tensor = [](const void* data, const char* dtype, const core::Layout& layout) {
    return tests::local_tensor(data, *core::dtype_from_name(dtype), layout);
  };
  request.snapshot = tensor(rgba.data(), "uint8", core::Layout::c_order({kRows, kColumns, 4}, 8));
  const Pixels dark = draw(request, "image-rgba-dark");
  CHECK(dark.colours() > 3000);
  request.theme = ThemeChoice::light;
  request.scale = 2;
  CHECK(draw(request, "image-rgba-light-200").rgba != dark.rgba);
  request.snapshot = tensor(planes.data(), "float32", core::Layout::c_order({3, kRows, kColumns}, 32));
  draw(request, "image-planes-light-200");
  request.scale = 1;
  request.theme = ThemeChoice::dark;
  draw(request, "image-planes-dark");
  request.snapshot = tensor(rgba.data(), "uint8", core::Layout::c_order({5, 2, 6, 3}, 8));
  draw(request, "image-numbers-dark");
  request.snapshot = tensor(planes.data(), "bool", core::Layout::c_order({30, 40, 3}, 8));
  draw(request, "image-refused-dark");
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

TEST_CASE("writes that are armed are drawn in both themes and at every scale, and one that is refused", "[window]") {
  skip_without_gl();
  std::vector<float> values(4096, 1.5F);
  ScreenshotRequest request = tour_request();
  request.reader = core::process_reader(0).value();
  request.element = 37;
  request.ask = {show_panel(ActionContext::hex)};
  request.snapshot = tests::local_tensor(values.data(), *core::dtype_from_name("float32"), core::Layout::c_order({64, 64}, 32));
  const Pixels before = draw(request, "hex-not-armed");
  request.ask.push_back(ActionId::hex_arm);
  const Pixels dark = draw(request, "hex-armed-dark");
  CHECK(dark.rgba != before.rgba);
  request.scale = 2;
  draw(request, "hex-armed-dark-200");
  request.theme = ThemeChoice::light;
  draw(request, "hex-armed-light-200");
  request.scale = 1;
  CHECK(draw(request, "hex-armed-light").rgba != dark.rgba);
  request.snapshot = tests::tour_snapshot();
  request.element.reset();
  draw(request, "hex-armed-tour");
  request.select = "mask";
  draw(request, "hex-arm-refused");
}

}  // namespace dlscope::app
