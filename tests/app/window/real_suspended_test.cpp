// A process that somebody has stopped, which no button of ours did: the window says so until it goes on.
#include <signal.h>
#include <catch2/catch_test_macros.hpp>

#include <string>

#include "tests/app/window/debugged_window.h"

namespace dlscope::tests {

TEST_CASE("a process that was stopped by somebody is not just said to run", "[window][host]") {
  Debugged d(
      "import os, signal\n"
      "x = bytearray(8)\n"
      "os.kill(os.getpid(), signal.SIGSTOP)\n"
      "print('went on')\n");
  const auto said = [&]() -> pid_t {
    const std::string advice = "is stopped (SIGSTOP or the like): kill -CONT ";
    for (const app::Notice& notice : d.window.app().notices().all()) {
      const std::size_t at = notice.text.find(advice);
      if (at != std::string::npos) return std::stoi(notice.text.substr(at + advice.size()));
    }
    return 0;
  };
  d.press(ImGuiKey_F5);
  REQUIRE(d.window.story().wait_for([&] { return said() > 0; }));
  CHECK(d.window.state() == app::HostState::running);
  REQUIRE(::kill(said(), SIGCONT) == 0);
  REQUIRE(d.ends());
  REQUIRE(d.window.story().wait_for([&] { return said() == 0; }));
  CHECK(d.window.wait_for_output("went on"));
}

}  // namespace dlscope::tests
