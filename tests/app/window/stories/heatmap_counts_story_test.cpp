// The counts above a heat map: how many values are NaN, infinite, zero and subnormal, without being asked for.
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <limits>
#include <vector>

#include "tests/app/window/stories/heatmap_window.h"

namespace dlscope::tests {

using Catch::Matchers::ContainsSubstring;

TEST_CASE("the head of the heat map counts the special values of the whole tensor by itself", "[window][heatmap]") {
  constexpr float kNan = std::numeric_limits<float>::quiet_NaN(), kInf = std::numeric_limits<float>::infinity();
  const std::vector<float> data{0, kNan, -kInf, kInf, kInf, 1e-40F, -0.0F, 8, 9, kNan, 11, 12};
  HeatmapFile window(data.data(), "float32", core::Layout::c_order({3, 4}, 32));
  REQUIRE(window.story.wait_for([&] {
    const auto* const read = window.story.app().statistics().find(window.story.app().selected());
    return read != nullptr && read->exact();
  }));
  window.story.frames(2);
  CHECK_THAT(window.story.text_of_frame(), ContainsSubstring("NaN 2    +Inf 2    -Inf 1    zero 2    subnormal 1"));
}

TEST_CASE("where the picture is one slice of it, the head says that it counts the whole tensor", "[window][heatmap]") {
  const std::vector<float> data{0, 1, 2, 3, 0, 0, 4, 5};
  HeatmapFile window(data.data(), "float32", core::Layout::c_order({2, 2, 2}, 32));
  REQUIRE(window.story.wait_for([&] {
    const auto* const read = window.story.app().statistics().find(window.story.app().selected());
    return read != nullptr && read->exact();
  }));
  window.story.frames(2);
  CHECK_THAT(window.story.text_of_frame(), ContainsSubstring("whole tensor:  NaN 0"));
}

TEST_CASE("the value of a focused NaN names its bits", "[window][heatmap]") {
  std::vector<std::uint32_t> data{0x3f800000, 0x7fc0beef, 0xffa00001};
  HeatmapFile window(data.data(), "float32", core::Layout::c_order({3}, 32));
  app::Application& app = window.story.app();
  app.commands().push(app::command::Pin{app::focus_on(*app.index(), app.selected(), 1)});
  window.story.frames(3);
  CHECK_THAT(window.story.text_of_frame(), ContainsSubstring("nan = 0x7fc0beef"));
  app.commands().push(app::command::Pin{app::focus_on(*app.index(), app.selected(), 2)});
  window.story.frames(3);
  CHECK_THAT(window.story.text_of_frame(), ContainsSubstring("nan = 0xffa00001"));
  app.commands().push(app::command::Pin{app::focus_on(*app.index(), app.selected(), 0)});
  window.story.frames(3);
  CHECK_THAT(window.story.text_of_frame(), !ContainsSubstring("0x3f800000"));
}

}  // namespace dlscope::tests
