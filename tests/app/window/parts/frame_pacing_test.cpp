// When the next frame is due, by a clock of the test's own.
#include "app/window/frame_pacing.h"

#include <catch2/catch_test_macros.hpp>

namespace dlscope::app {

TEST_CASE("frames follow what happened, then nothing is drawn", "[pacing]") {
  using namespace std::chrono_literals;
  const FramePacing::Clock::time_point start{};
  FramePacing pacing(start);
  int at_once = 0;
  while (pacing.pause(start).draw_at_once && at_once < 10) {
    pacing.drawn();
    ++at_once;
  }
  CHECK(at_once == 3);  // docking settles
  // For a moment after input, so that tooltips come up; then it sleeps until something happens.
  CHECK(pacing.pause(start + 100ms).at_most.has_value());
  CHECK_FALSE(pacing.pause(start + 5s).draw_at_once);
  CHECK_FALSE(pacing.pause(start + 5s).at_most.has_value());
  pacing.changed();
  CHECK(pacing.pause(start + 5s).draw_at_once);
  pacing.drawn();
  CHECK(pacing.pause(start + 5s).draw_at_once);
  pacing.drawn();
  CHECK_FALSE(pacing.pause(start + 5s).draw_at_once);
  pacing.drawn();  // more than were due
  CHECK_FALSE(pacing.pause(start + 5s).draw_at_once);
  pacing.input(start + 6s);
  CHECK(pacing.pause(start + 6s).draw_at_once);
  pacing.drawn();
  pacing.drawn();
  CHECK(pacing.pause(start + 6s + 100ms).at_most.has_value());
}

}  // namespace dlscope::app
