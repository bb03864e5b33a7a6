// A process that somebody has stopped, which no button of ours did: the window says so until it goes on.
#include <signal.h>
#include <catch2/catch_test_macros.hpp>

#include <string>

#include "tests/app/window/stories/debugged_window.h"

namespace dlscope::tests {
namespace {

// The process that a notice says is stopped; 0: none does.
pid_t said(Debugged& d) {
  const std::string advice = "is stopped (SIGSTOP or the like): kill -CONT ";
  for (const app::Notice& notice : d.window.app().notices().all()) {
    const std::size_t at = notice.text.find(advice);
    if (at != std::string::npos) return std::stoi(notice.text.substr(at + advice.size()));
  }
  return 0;
}

bool shows(Debugged& d, const std::string& text) { return d.window.story().text_of_frame().find(text) != std::string::npos; }

std::string status_of(pid_t pid) {
  return "Python's process " + std::to_string(pid) + " is stopped (SIGSTOP or the like): kill -CONT " + std::to_string(pid) +
         " lets it go on";
}

}  // namespace

TEST_CASE("a process that was stopped by somebody is not just said to run", "[window][host]") {
  Debugged d(
      "import os, signal\n"
      "x = bytearray(8)\n"
      "os.kill(os.getpid(), signal.SIGSTOP)\n"
      "print('went on')\n");
  d.press(ImGuiKey_F5);
  REQUIRE(d.window.story().wait_for([&] { return said(d) > 0; }));
  CHECK(d.window.state() == app::HostState::running);
  CHECK(d.window.app().host().suspension() == status_of(said(d)));
  CHECK((shows(d, "● stopped by a signal") && shows(d, status_of(said(d)))));
  CHECK_FALSE((shows(d, "● running") || shows(d, "The script is running")));
  CHECK_FALSE(shows(d, "What you have started begins then."));  // it had begun
  REQUIRE(::kill(said(d), SIGCONT) == 0);
  REQUIRE(d.ends());
  REQUIRE(d.window.story().wait_for([&] { return said(d) == 0; }));
  CHECK_FALSE(shows(d, "stopped by a signal"));
  CHECK(d.window.wait_for_output("went on"));
}

TEST_CASE("beside the tensors a run that was stopped by somebody is not just said to be running", "[window][host]") {
  Debugged d(
      "import os, signal, sys\n"
      "x = bytearray(8)\n"
      "sys.again = hasattr(sys, 'again')\n"
      "if sys.again: os.kill(os.getpid(), signal.SIGSTOP)\n");
  d.press(ImGuiKey_F5);
  REQUIRE(d.window.story().wait_for([&] { return d.window.app().host().runs() == 1; }));
  REQUIRE(d.ends());
  d.press(ImGuiKey_F5);
  REQUIRE(d.window.story().wait_for([&] { return said(d) > 0; }));
  CHECK(shows(d, "as of run 1; run 2 is stopped by a signal"));
  CHECK_FALSE(shows(d, "run 2 is running"));
  REQUIRE(::kill(said(d), SIGCONT) == 0);
  REQUIRE(d.ends());
  CHECK_FALSE(shows(d, "run 2 is stopped"));
}

TEST_CASE("Stop of a process that was stopped by somebody is said to be heard, and ends the script later", "[window][host]") {
  Debugged d(
      "import os, signal\n"
      "x = bytearray(8)\n"
      "os.kill(os.getpid(), signal.SIGSTOP)\n"
      "while True: pass\n");
  d.press(ImGuiKey_F5);
  REQUIRE(d.window.story().wait_for([&] { return said(d) > 0; }));
  CHECK_FALSE(shows(d, "Asked to stop"));
  d.press(ImGuiMod_Shift | ImGuiKey_F5);
  REQUIRE(d.window.story().wait_for([&] { return shows(d, "Asked to stop. Python"); }));
  REQUIRE(::kill(said(d), SIGCONT) == 0);
  REQUIRE(d.ends());
  CHECK_FALSE(shows(d, "Asked to stop"));
}

TEST_CASE("an idle process that was stopped by somebody is said to be that, also when it is asked to run", "[window][host]") {
  Debugged d(
      "import os\n"
      "print('process', os.getpid(), 'runs')\n"
      "x = bytearray(8)\n");
  d.press(ImGuiKey_F5);
  REQUIRE(d.window.story().wait_for([&] { return d.window.app().host().runs() == 1; }));
  REQUIRE(d.ends());
  const std::string output = d.window.app().output().all_text();
  const pid_t pid = std::stoi(output.substr(output.find("process ") + 8));
  REQUIRE(::kill(pid, SIGSTOP) == 0);
  REQUIRE(d.window.story().wait_for([&] { return said(d) == pid; }));
  CHECK(d.window.state() == app::HostState::idle);
  CHECK((shows(d, "● stopped by a signal") && !shows(d, "● idle")));
  CHECK_FALSE(shows(d, "begins then"));
  d.press(ImGuiKey_F5);  // makes other notices go, and waits
  d.window.story().frames(10);
  CHECK(d.window.state() == app::HostState::running);
  CHECK((said(d) == pid && shows(d, "● stopped by a signal")));
  CHECK(shows(d, "What you have started begins then."));
  REQUIRE(::kill(pid, SIGCONT) == 0);
  REQUIRE(d.window.story().wait_for([&] { return said(d) == 0 && d.window.app().host().runs() == 2; }));
  REQUIRE(d.ends());
  CHECK(shows(d, "● idle"));
}

}  // namespace dlscope::tests
