#include "app/models/layout/axis_view.h"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_floating_point.hpp>

#include <random>

namespace dlscope::app {
namespace {

using Catch::Matchers::WithinAbs;

constexpr AxisLimits kSmall{.length = 10, .room = 1000, .most_px = 200, .natural_px = 40};
constexpr AxisLimits kLong{.length = std::int64_t{1} << 60, .room = 800, .most_px = 60, .natural_px = 30};

}  // namespace

TEST_CASE("A new view shows everything, no larger than it is read well", "[app][models][layout]") {
  AxisView view;
  view.settle(kSmall);
  CHECK(view.px_per_unit() == 40);
  CHECK(view.x_of(0) == 0);
  view = {};
  view.settle(kLong);
  CHECK_THAT(view.x_of(kLong.length), WithinAbs(800, 1e-6));
  CHECK(view.fitted());
}

TEST_CASE("What lies under the mouse stays there while the wheel turns", "[app][models][layout]") {
  std::mt19937 chance(1);
  AxisView view;
  view.fit(kLong);
  const double x = 300;
  // From afar into one unit: the first turns settle which.
  for (int i = 0; i < 400; ++i) {
    const double before = view.px_per_unit();
    const std::int64_t unit = view.unit_at(x);
    view.zoom(kLong, x, 1.25);
    if (before > 1) REQUIRE(view.unit_at(x) == unit);
  }
  CHECK(view.px_per_unit() == 60);
  const std::int64_t unit = view.unit_at(x);
  const double off = x - view.x_of(unit);
  for (int i = 0; i < 60; ++i) view.zoom(kLong, x, 1 / 1.25);
  for (int i = 0; i < 60; ++i) view.zoom(kLong, x, 1.25);
  CHECK(std::abs(view.unit_at(x) - unit) <= 1);
  CHECK_THAT(x - view.x_of(view.unit_at(x)), WithinAbs(off, 61));
}

TEST_CASE("Nobody gets lost beyond the ends", "[app][models][layout]") {
  AxisView view;
  view.fit(kLong);
  view.one_to_one(kLong, 0);
  CHECK(view.px_per_unit() == 30);
  view.pan(kLong, 1e6);
  CHECK(view.first() == 0);
  view.pan(kLong, -1e30);
  CHECK_THAT(view.x_of(kLong.length), WithinAbs(800, 0.01));
  view.zoom(kLong, 10, 1e-30);
  CHECK(view.fitted());
  CHECK(view.first() == 0);
}

TEST_CASE("A unit far away is revealed exactly, one in sight does not move the view", "[app][models][layout]") {
  AxisView view;
  view.fit(kLong);
  view.one_to_one(kLong, 0);
  const std::int64_t far = (std::int64_t{1} << 59) + 12345;
  view.reveal(kLong, far, 1);
  CHECK(view.x_of(far) >= 0);
  CHECK(view.x_of(far + 1) <= 800);
  CHECK_THAT(view.x_of(far + 1) - view.x_of(far), WithinAbs(30, 1e-9));
  const double before = view.x_of(far);
  view.reveal(kLong, far + 2, 1);
  CHECK(view.x_of(far) == before);
}

TEST_CASE("A stretch shown is in the middle", "[app][models][layout]") {
  AxisView view;
  view.fit(kLong);
  view.show(kLong, 1'000'000, 1'000'100);
  CHECK(view.x_of(1'000'000) > 0);
  CHECK(view.x_of(1'000'100) < 800);
  CHECK_THAT(view.x_of(1'000'000) + view.x_of(1'000'100), WithinAbs(800, 0.01));
}

TEST_CASE("A view of everything stays one when the window grows", "[app][models][layout]") {
  AxisLimits limits{.length = 100, .room = 500, .most_px = 60, .natural_px = 30};
  AxisView view;
  view.settle(limits);
  limits.room = 1000;
  view.settle(limits);
  CHECK(view.px_per_unit() == 10);
  view.zoom(limits, 0, 2);
  limits.room = 700;
  view.settle(limits);
  CHECK(view.px_per_unit() == 20);
}

}  // namespace dlscope::app
