// Questions from the window to a real Python: answered when it is idle, never waited for, gone with a restart.
#include <catch2/catch_test_macros.hpp>

#include <string>

#include "tests/app/window/live_window.h"

namespace dlscope::tests {
namespace {

using app::HostState;
using app::Question;
using app::Reply;

void ask(LiveWindow& window, std::uint64_t ticket, const std::string& text, bool patient = false) {
  window.app().commands().push(app::command::AskPython{
      {.asker = "test", .ticket = ticket, .kind = "complete", .text = "{\"text\": \"" + text + "\"}", .patient = patient}});
}

const Reply* reply(LiveWindow& window, std::uint64_t ticket) {
  const Reply* found = nullptr;
  window.story().wait_for([&] {
    found = window.app().questions().reply("test");
    return found != nullptr && found->ticket == ticket;
  });
  return found != nullptr && found->ticket == ticket ? found : nullptr;
}

}  // namespace

TEST_CASE("a question to an idle Python is answered", "[window][host]") {
  LiveWindow window;
  window.run("some_long_name = 1\n");
  ask(window, 1, "some_l");
  const Reply* answer = reply(window, 1);
  REQUIRE(answer != nullptr);
  CHECK(answer->error == "");
  CHECK(answer->text.find("some_long_name") != std::string::npos);
}

TEST_CASE("a question to a busy Python is not asked, or waits when it may", "[window][host]") {
  LiveWindow window;
  window.start("some_long_name = 1\nprint('looping', flush=True)\nwhile True:\n    pass\n");
  REQUIRE(window.wait_for_output("looping"));
  ask(window, 1, "some_l");
  const Reply* refused = reply(window, 1);
  REQUIRE(refused != nullptr);
  CHECK(refused->error == core::wire::kAnswerBusy);
  ask(window, 2, "some_l", true);
  window.story().frames(5);
  CHECK(window.app().questions().waits("test"));
  CHECK_FALSE(window.app().questions().any_open());
  window.app().commands().push(app::command::StopScript{});
  const Reply* answer = reply(window, 2);
  REQUIRE(answer != nullptr);
  CHECK(answer->text.find("some_long_name") != std::string::npos);
}

TEST_CASE("a question that hangs can be stopped; the window draws on", "[window][host]") {
  LiveWindow window;
  window.run(
      "class Hangs:\n    def __dir__(self):\n        print('asked', flush=True)\n        while True: pass\nhangs = Hangs()\n");
  ask(window, 1, "hangs.x");
  REQUIRE(window.wait_for_output("asked"));
  window.story().frames(3);
  CHECK(window.app().host().can_stop());
  CHECK(window.state() == HostState::idle);
  window.app().commands().push(app::command::StopScript{});
  const Reply* answer = reply(window, 1);
  REQUIRE(answer != nullptr);
  CHECK(answer->error == core::wire::kAnswerStopped);
  window.story().frames(2);
  CHECK_FALSE(window.app().host().can_stop());
  window.run("a = 1\n");
  CHECK(window.app().outcome().outcome == core::Outcome::finished);
}

TEST_CASE("a question from before a restart is answered gone, and by nobody else", "[window][host]") {
  LiveWindow window;
  window.run(
      "class Hangs:\n    def __dir__(self):\n        print('asked', flush=True)\n        while True: pass\nhangs = Hangs()\n");
  ask(window, 1, "hangs.x");
  REQUIRE(window.wait_for_output("asked"));
  window.app().commands().push(app::command::RestartHost{});
  const Reply* answer = reply(window, 1);
  REQUIRE(answer != nullptr);
  CHECK(answer->error == app::kAnswerGone);
  REQUIRE(window.wait_for_state(HostState::idle));
  ask(window, 2, "pri");
  answer = reply(window, 2);
  REQUIRE(answer != nullptr);
  CHECK(answer->text.find("print") != std::string::npos);
}

}  // namespace dlscope::tests
