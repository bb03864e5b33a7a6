// Tasks and leases in the window with a real Python: what is held stays the user's, what is searched is found.
#include <catch2/catch_test_macros.hpp>
#include <string>

#include "tests/app/window/live_window.h"

namespace dlscope::tests {
namespace {

std::string last_notice(LiveWindow& window) {
  return window.app().notices().all().empty() ? std::string() : window.app().notices().all().back().text;
}

bool wait_for_notice(LiveWindow& window, const std::string& part) {
  return window.story().wait_for([&] { return last_notice(window).find(part) != std::string::npos; });
}

}  // namespace

TEST_CASE("a bytearray is held, its append is explained, and after Release it grows", "[window][real]") {
  LiveWindow window;
  window.run("b = bytearray(8)\n");
  window.app().select("b");
  window.story().frames(2);
  window.app().commands().push(app::command::HoldMemory{.pinned = true});
  REQUIRE(wait_for_notice(window, "append, extend and del raise BufferError"));
  CHECK(window.app().held().contains(window.app().selected()));

  window.app().commands().push(app::command::RunText{.text = "b.append(1)\n"});
  REQUIRE(window.wait_for_output("BufferError"));
  REQUIRE(window.wait_for_state(app::HostState::idle));
  REQUIRE(window.story().wait_for([&] { return window.app().held().contains(window.app().selected()); }));  // found again

  window.app().commands().push(app::command::ReleaseMemory{});
  REQUIRE(window.story().wait_for([&] { return window.app().held().empty(); }));
  window.app().commands().push(app::command::RunText{.text = "b.append(1); print('grown to', len(b))\n"});
  REQUIRE(window.wait_for_output("grown to 9"));
}

TEST_CASE("one NaN in a large array is found by a task, and the way there is offered", "[window][real]") {
  LiveWindow window;
  window.run("import numpy as np\nx = np.zeros((3000, 1000), np.float32)\nx[2222, 7] = np.nan\nt = x.T\n");
  for (const char* const name : {"x", "t"}) {
    window.app().select(name);
    window.story().frames(2);
    window.app().commands().push(app::command::SearchValues{});
    REQUIRE(wait_for_notice(window, std::string(name) + ": 1 of 3 000 000 values are NaN, infinite or subnormal"));
    CHECK(last_notice(window).find(name == std::string("x") ? "x[2222, 7]" : "t[7, 2222]") != std::string::npos);
  }
}

}  // namespace dlscope::tests
