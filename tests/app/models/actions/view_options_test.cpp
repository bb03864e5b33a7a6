#include "app/models/actions/view_options.h"

#include <catch2/catch_test_macros.hpp>

namespace dlscope::app {

TEST_CASE("layouts and themes are found by the words of the options", "[app][models]") {
  for (const auto layout : {LayoutPreset::debug, LayoutPreset::teach, LayoutPreset::verify})
    CHECK(layout_from_name(layout_name(layout)) == layout);
  for (const auto theme : {ThemeChoice::dark, ThemeChoice::light}) CHECK(theme_from_name(theme_name(theme)) == theme);
  CHECK_FALSE(layout_from_name("Debug").has_value());
  CHECK_FALSE(theme_from_name("").has_value());
}

TEST_CASE("a window has room for panels by its size at 100 percent", "[app][models]") {
  const auto room = [](float width, float height, float scale) { return room_of(width / scale, (height - 50 * scale) / scale); };
  CHECK(room(1920, 1080, 1) == WindowRoom::all_places);
  CHECK(room(1600, 1000, 1) == WindowRoom::all_places);
  CHECK(room(3840, 2160, 2) == WindowRoom::all_places);
  CHECK(room(1280, 720, 1) == WindowRoom::five_places);
  CHECK(room(1920, 1080, 1.5F) == WindowRoom::five_places);
  CHECK(room(1920, 1080, 2) == WindowRoom::four_places);
  CHECK(room(1920, 1080, 3) == WindowRoom::two_places);
  CHECK(room(1280, 720, 2) == WindowRoom::two_places);
  CHECK(room(1280, 720, 3) == WindowRoom::one_place);
  CHECK(room(200, 200, 1) == WindowRoom::one_place);
}

TEST_CASE("the scale moves in quarters and stays between 100 and 300 percent", "[app][models]") {
  CHECK(scale_step(1.0F, 1) == 1.25F);
  CHECK(scale_step(1.25F, -1) == 1.0F);
  CHECK(scale_step(1.1F, 1) == 1.25F);
  CHECK(scale_step(1.1F, -1) == 1.0F);
  CHECK(scale_step(3.0F, 1) == kMaxScale);
  CHECK(scale_step(1.0F, -1) == kMinScale);
}

}  // namespace dlscope::app
