// Debugging with a real Python: the window's breakpoints stop real code, its keys lead through it, its console works inside it.
#include <catch2/catch_test_macros.hpp>

#include <fstream>
#include <string>

#include "tests/app/files/temporary_folder.h"
#include "tests/app/window/live_window.h"

namespace dlscope::tests {
namespace {

using app::HostState;
using core::wire::StopReason;

constexpr const char* kLoop =
    "import numpy as np\n"          // 1
    "\n"                            // 2
    "def step(i):\n"                // 3
    "    x = np.full(3, i)\n"       // 4
    "    y = x[:2]\n"               // 5
    "    return y\n"                // 6
    "\n"                            // 7
    "total = 0\n"                   // 8
    "for i in range(100):\n"        // 9
    "    total += step(i).sum()\n"  // 10
    "print('total', total)\n";      // 11

// A window with a real host and a script in a file.
class Debugged {
 public:
  explicit Debugged(const std::string& text = kLoop) : path(folder / "train.py") {
    std::ofstream(path) << text;
    REQUIRE(window.app().load_script(path).has_value());
    window.story().frames(3);
  }
  void press(ImGuiKeyChord chord) {
    window.story().act([=](ImGuiTestContext* ui) { ui->KeyPress(chord); });
  }
  void breakpoint_at(std::uint32_t line, std::string condition = {}, std::string log = {}) {
    core::wire::Breakpoint b;
    b.path = path;
    b.line = line;
    b.condition = std::move(condition);
    b.log_text = std::move(log);
    window.app().commands().push(app::command::PutBreakpoint{b});
    window.story().frames(2);
  }
  [[nodiscard]] bool wait_for_stop(std::uint64_t after = 0) {
    const bool stopped = window.story().wait_for(
        [&] { return window.state() == HostState::stopped && stop().at.stop > after && window.app().moment().at_stop; });
    window.story().frames(3);
    return stopped;
  }
  void type(const char* text) {
    window.story().act([=](ImGuiTestContext* ui) {
      ui->ItemClick("//Output/##input");
      ui->KeyCharsReplace(text);
      ui->KeyPress(ImGuiKey_Enter);
    });
  }
  [[nodiscard]] const app::StopView& stop() { return *window.app().host().stop(); }
  [[nodiscard]] std::uint32_t line() { return stop().at.frames.front().line; }
  [[nodiscard]] app::ScriptPanelState& panel() { return window.app().panels().script; }
  [[nodiscard]] bool ends() { return window.wait_for_state(HostState::idle); }

  app::TemporaryFolder folder;
  std::string path;
  LiveWindow window;
};

}  // namespace

TEST_CASE("a breakpoint with a condition stops at iteration 37 of 100, and the keys lead on", "[window][host][debug]") {
  Debugged d;
  d.breakpoint_at(5, "i == 37");
  d.window.app().commands().push(app::command::SetWatches{{"i", "x.sum()", "nope"}});
  d.press(ImGuiKey_F5);
  REQUIRE(d.wait_for_stop());
  CHECK(d.stop().at.reason == StopReason::breakpoint);
  REQUIRE(d.stop().at.frames.size() == 2);
  CHECK(d.stop().at.frames[0].function == "step");
  CHECK(d.line() == 5);
  CHECK(d.panel().marked_line == 5);
  // Its locals come first, and are of this stop.
  app::Application& app = d.window.app();
  REQUIRE(app.index()->find("x").has_value());
  CHECK(app.index()->find("x") == 0U);
  CHECK_FALSE(app.index()->find("y").has_value());
  const auto& watches = app.panels().stack.watches;
  REQUIRE(d.window.story().wait_for([&] { return watches.answered; }));
  CHECK(watches.values[0].text == "37");
  CHECK(watches.values[1].text.find("111") != std::string::npos);
  CHECK(watches.values[2].error.find("NameError") != std::string::npos);

  std::uint64_t before = d.stop().at.stop;
  d.press(ImGuiKey_F10);
  REQUIRE(d.wait_for_stop(before));
  CHECK(d.stop().at.reason == StopReason::step);
  CHECK(d.line() == 6);
  REQUIRE(app.index()->find("y").has_value());
  const auto group = [&](const char* name) { return app.index()->tensor(app.index()->find(name).value()).group; };
  CHECK(group("x") == group("y"));

  // The console works in the frame: what it writes is the function's own array.
  d.type("x[0] = 1000; print('seen', i)");
  REQUIRE(d.window.wait_for_output("seen 37"));
  REQUIRE(d.wait_for_stop(before));
  REQUIRE(
      d.window.story().wait_for([&] { return watches.answered && watches.values[1].text.find("1074") != std::string::npos; }));

  before = d.stop().at.stop;
  d.press(ImGuiMod_Shift | ImGuiKey_F11);
  REQUIRE(d.wait_for_stop(before));
  CHECK(d.stop().at.frames[0].function == "<module>");
  CHECK((d.line() == 10 || d.line() == 9));
  d.press(ImGuiKey_F5);
  REQUIRE(d.window.wait_for_output("total 10863"));  // 9900, with 1000 in the place of 37
  CHECK(d.ends());
  CHECK(app.outcome().outcome == core::Outcome::finished);
  REQUIRE(d.window.story().wait_for([&] { return app.moment().since == app::Since::nothing; }));  // the look at the end is shown
  CHECK_FALSE(app.moment().at_stop);
  CHECK(d.panel().marked_line == 0);
}

TEST_CASE("the console and completion see the names of the caller when its frame is chosen", "[window][host][debug]") {
  Debugged d;
  d.breakpoint_at(5, "i == 3");
  d.press(ImGuiKey_F5);
  REQUIRE(d.wait_for_stop());
  d.window.app().commands().push(app::command::ChooseFrame{1});
  d.window.story().frames(3);
  CHECK(d.panel().marked_line == 10);
  d.type("print('up here', total, 'x' in dir())");
  CHECK(d.window.wait_for_output("up here 6 False"));
  REQUIRE(d.wait_for_stop());
  d.window.app().commands().push(app::command::ChooseFrame{0});
  d.window.story().frames(3);
  d.type("print('down here', i, 'x' in dir())");
  CHECK(d.window.wait_for_output("down here 3 True"));
  REQUIRE(d.wait_for_stop());
  d.press(ImGuiKey_F5);
  CHECK(d.ends());
}

TEST_CASE("a breakpoint stops on its code after a line was typed above it", "[window][host][debug]") {
  Debugged d;
  d.breakpoint_at(5, "i == 2");
  d.panel().reveal_line = 0;
  d.window.story().frames(4);
  d.window.story().act([](ImGuiTestContext* ui) {
    ui->KeyChars("# a note");
    ui->KeyPress(ImGuiKey_Enter);
  });
  d.window.story().frames(3);
  d.press(ImGuiKey_F5);
  REQUIRE(d.wait_for_stop());
  CHECK(d.line() == 6);
  CHECK(d.panel().marked_line == 6);
  CHECK(d.window.app().index()->find("x").has_value());
  d.press(ImGuiKey_F5);
  CHECK(d.ends());
}

TEST_CASE("Stop at a stop ends the script; Restart at a stop gives a Python that has the breakpoints", "[window][host][debug]") {
  Debugged d;
  d.breakpoint_at(10);
  d.press(ImGuiKey_F5);
  REQUIRE(d.wait_for_stop());
  d.press(ImGuiMod_Shift | ImGuiKey_F5);
  REQUIRE(d.ends());
  CHECK(d.window.app().outcome().outcome == core::Outcome::interrupted);
  CHECK(d.window.app().output().all_text().find("total 9900") == std::string::npos);
  d.press(ImGuiKey_F5);
  REQUIRE(d.wait_for_stop());
  d.window.app().commands().push(app::command::RestartHost{});
  d.window.story().frames(2);
  CHECK(d.window.app().host().stop() == nullptr);
  CHECK(d.window.app().moment().since == app::Since::ended);
  REQUIRE(d.ends());
  d.press(ImGuiKey_F5);
  REQUIRE(d.wait_for_stop());
  CHECK(d.line() == 10);
  d.window.app().commands().push(app::command::RemoveAllBreakpoints{});
  d.window.story().frames(2);
  d.press(ImGuiKey_F5);
  CHECK(d.window.wait_for_output("total 9900"));
  CHECK(d.ends());
}

TEST_CASE("what runs is paused, and a text is printed in passing", "[window][host][debug]") {
  Debugged d("n = 0\nprint('begun', flush=True)\nwhile n >= 0:\n    n += 1\nprint('over', n)\n");
  d.breakpoint_at(4, "n == 3", "n is {n}");
  d.press(ImGuiKey_F5);
  REQUIRE(d.window.wait_for_output("n is 3"));
  d.press(ImGuiKey_F6);
  REQUIRE(d.wait_for_stop());
  CHECK(d.stop().at.reason == StopReason::pause);
  d.type("n = -5");
  REQUIRE(d.wait_for_stop());
  d.press(ImGuiKey_F5);
  CHECK(d.window.wait_for_output("over"));
  CHECK(d.ends());
}

TEST_CASE("a script without a file stops at its breakpoints, and where it raises", "[window][host][debug]") {
  LiveWindow window;
  window.app().commands().push(app::command::ToggleBreakpoint{app::kUnsavedScript, 2});
  window.app().commands().push(app::command::SetStopOnRaise{true});
  window.story().frames(2);
  window.app().load_text("", "a = 1\nb = 2\ntry:\n    b / 0\nexcept ZeroDivisionError:\n    print('caught')\n");
  window.story().frames(2);
  // Another text: the breakpoint of the one before is none of it.
  CHECK(window.app().settings().breakpoints.empty());
  window.app().commands().push(app::command::ToggleBreakpoint{app::kUnsavedScript, 2});
  window.story().frames(2);
  window.story().act([](ImGuiTestContext* ui) { ui->KeyPress(ImGuiKey_F5); });
  REQUIRE(window.wait_for_state(HostState::stopped));
  CHECK(window.app().host().stop()->at.frames.front().line == 2);
  window.story().frames(3);
  CHECK(window.app().panels().script.marked_line == 2);
  const std::uint64_t before = window.app().host().stop()->at.stop;
  window.story().act([](ImGuiTestContext* ui) { ui->KeyPress(ImGuiKey_F5); });
  REQUIRE(window.story().wait_for(
      [&] { return window.state() == HostState::stopped && window.app().host().stop()->at.stop > before; }));
  CHECK(window.app().host().stop()->at.reason == StopReason::raised);
  CHECK(window.app().host().stop()->at.words.find("ZeroDivisionError") != std::string::npos);
  window.story().act([](ImGuiTestContext* ui) { ui->KeyPress(ImGuiKey_F5); });
  CHECK(window.wait_for_output("caught"));
  CHECK(window.wait_for_state(HostState::idle));
}

}  // namespace dlscope::tests
