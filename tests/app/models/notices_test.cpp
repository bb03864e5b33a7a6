#include "app/models/actions/notices.h"

#include <catch2/catch_test_macros.hpp>

namespace dlscope::app {

TEST_CASE("what a run makes outdated goes, the way back to a text stays until it is taken", "[app][notices]") {
  Notices notices;
  notices.add(Tone::bad, "It crashed.");
  notices.offer(Tone::accent, "The text was put aside.", "Restore", command::RestoreText{});
  notices.add(Tone::plain, "Kill?", "Kill", command::KillHost{});
  notices.clear();
  REQUIRE(notices.all().size() == 1);
  CHECK(notices.all()[0].text == "The text was put aside.");
  CHECK(notices.logged().size() == 3);
  notices.withdraw_offers();
  CHECK(notices.all().empty());
}

}  // namespace dlscope::app
