#include "tests/app/window/pictures/pictures.h"

#include <png.h>
#include <catch2/catch_test_macros.hpp>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <set>

#include "app/platform/surface.h"
#include "tests/support/sample_snapshot.h"

namespace dlscope::app {

namespace fs = std::filesystem;

std::string picture_path(const std::string& name) {
  const char* build = std::getenv("DLSCOPE_BUILD_DIR");
  const fs::path folder = (build != nullptr ? fs::path(build) : fs::temp_directory_path()) / "pictures";
  fs::create_directories(folder);
  return (folder / (name + ".png")).string();
}

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

std::vector<std::pair<std::string, std::string>> text_in_png(const std::string& path) {
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rb"), &std::fclose);
  REQUIRE(file);
  png_structp png = png_create_read_struct(PNG_LIBPNG_VER_STRING, nullptr, nullptr, nullptr);
  png_infop info = png_create_info_struct(png);
  png_init_io(png, file.get());
  png_read_png(png, info, PNG_TRANSFORM_IDENTITY, nullptr);
  png_textp text = nullptr;
  const int count = png_get_text(png, info, &text, nullptr);
  std::vector<std::pair<std::string, std::string>> said;
  for (int i = 0; i < count; ++i) said.emplace_back(text[i].key, text[i].text);
  png_destroy_read_struct(&png, &info, nullptr);
  return said;
}

std::size_t Pixels::colours() const { return std::set<std::uint32_t>(rgba.begin(), rgba.end()).size(); }

void skip_without_gl() {
  const auto driver = probe_offscreen();
  if (!driver) SKIP(driver.error().message);
}

Pixels draw(ScreenshotRequest request, const std::string& name) {
  request.output_path = picture_path(name);
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

}  // namespace dlscope::app
