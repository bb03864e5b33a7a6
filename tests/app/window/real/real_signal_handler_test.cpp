// A handler of signals that the script left behind runs between two runs: what is shown says that other code has run.
#include <signal.h>
#include <catch2/catch_test_macros.hpp>

#include "tests/app/window/stories/debugged_window.h"

namespace dlscope::tests {

TEST_CASE("after a signal handler of the script's has run the views say that other code ran", "[window][host]") {
  Debugged d(
      "import os, signal\n"
      "x = bytearray(8)\n"
      "def handler(*_):\n"
      "    x[0] = 7\n"
      "    print('handled', flush=True)\n"
      "    raise ValueError('seen')\n"
      "signal.signal(signal.SIGUSR1, handler)\n"
      "with open(os.path.join(os.path.dirname(__file__), 'pid'), 'w') as file: file.write(str(os.getpid()))\n");
  d.press(ImGuiKey_F5);
  REQUIRE(d.window.story().wait_for([&] { return d.window.app().moment().run == 1 && d.window.state() == app::HostState::idle; }));
  CHECK_FALSE(d.window.app().moment().others_ran);
  int pid = 0;
  std::ifstream(d.folder / "pid") >> pid;
  REQUIRE(pid > 0);
  REQUIRE(::kill(pid, SIGUSR1) == 0);
  CHECK(d.window.wait_for_output("handled"));
  CHECK(d.window.wait_for_output("ValueError: seen"));
  CHECK(d.window.story().wait_for([&] { return d.window.app().moment().others_ran; }));
  CHECK(d.window.state() == app::HostState::idle);
}

}  // namespace dlscope::tests
