// Debugging with a real Python: the window's breakpoints stop real code, its keys lead through it, its console works inside it.
#include <catch2/catch_test_macros.hpp>

#include <chrono>
#include <string>

#include "tests/app/window/stories/debugged_window.h"
#include "tests/app/window/stories/drawn_text.h"

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

}  // namespace

TEST_CASE("Run to the cursor starts the script, and stops at that line once", "[window][host][debug]") {
  Debugged d(kLoop);
  d.panel().reveal_line = 9;  // zero-based: line 10
  d.window.story().frames(4);
  d.press(ImGuiMod_Ctrl | ImGuiKey_F10);
  REQUIRE(d.wait_for_stop());
  CHECK(d.stop().at.reason == StopReason::step);
  CHECK(d.line() == 10);
  CHECK(d.panel().marked_line == 10);
  CHECK(d.window.app().settings().breakpoints.empty());
  d.press(ImGuiKey_F5);
  CHECK(d.window.wait_for_output("total 9900"));  // the other 99 iterations did not stop
  CHECK(d.window.wait_for_state(HostState::idle));
}

TEST_CASE("a breakpoint with a condition stops at iteration 37 of 100, and the keys lead on", "[window][host][debug]") {
  Debugged d(kLoop);
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

TEST_CASE("Stop ends a watch that never ends, the window draws on meanwhile, and the script goes on", "[window][host][debug]") {
  Debugged d(
      "def hang():\n"           // 1
      "    while True: pass\n"  // 2
      "x = 7\n"                 // 3
      "print('over', x)\n");    // 4
  app::Application& app = d.window.app();
  app.commands().push(app::command::SetWatches{{"x", "hang()", "x + 1"}});
  d.breakpoint_at(4);
  d.press(ImGuiKey_F5);
  REQUIRE(d.wait_for_stop());
  const auto& watches = app.panels().stack.watches;
  REQUIRE(d.window.story().wait_for([&] { return app.host().questions().is_open("watches"); }));
  const auto hangs = std::chrono::steady_clock::now() + std::chrono::seconds(1);
  REQUIRE(d.window.story().wait_for([&] { return std::chrono::steady_clock::now() > hangs; }));  // frames go on meanwhile
  CHECK_FALSE(watches.answered);
  app.commands().push(app::command::InterruptScript{});
  REQUIRE(d.window.story().wait_for([&] { return watches.answered; }));
  REQUIRE(watches.values.size() == 3);
  CHECK(watches.values[0].text == "7");
  CHECK(watches.values[1].error.starts_with("KeyboardInterrupt"));
  CHECK(watches.values[2].error.starts_with("not evaluated"));
  CHECK(app.host().state() == HostState::stopped);
  d.press(ImGuiKey_F5);
  CHECK(d.window.wait_for_output("over 7"));
  REQUIRE(d.ends());
  CHECK(app.outcome().outcome == core::Outcome::finished);
}

TEST_CASE("each stop is a moment that can be looked back at, while the code has gone on", "[window][host][debug]") {
  Debugged d(kLoop);
  d.breakpoint_at(5, "i == 37");
  d.press(ImGuiKey_F5);
  REQUIRE(d.wait_for_stop());
  app::Application& app = d.window.app();
  const std::uint64_t at_line_5 = app.history().shown;
  const std::uint64_t before = d.stop().at.stop;
  d.press(ImGuiKey_F10);
  REQUIRE(d.wait_for_stop(before));
  REQUIRE(app.index()->find("y").has_value());
  CHECK(app.history().earlier == at_line_5);
  app.commands().push(app::command::ShowMoment{at_line_5});
  REQUIRE(d.window.story().wait_for([&] { return app.moment().since == app::Since::looked_again; }));
  CHECK(app::moment_title(*app.index()->snapshot) == "run 1, stop at train.py:5 in step");
  CHECK(app::moment_description(app.moment()) == "then: at a stop in run 1");
  CHECK_FALSE(app.index()->find("y").has_value());  // it was made by the line after
  REQUIRE(app.index()->find("x").has_value());
  d.press(ImGuiKey_F5);  // goes on to the end
  REQUIRE(d.ends());
  REQUIRE(d.window.story().wait_for([&] { return app.history().newer != 0; }));
  CHECK(app.index()->find("x").has_value());  // still the moment at line 5
  app.commands().push(app::command::ShowMoment{});
  d.window.story().frames(3);
  CHECK_FALSE(app.index()->find("x").has_value());
  CHECK(app.moment().since == app::Since::nothing);
}

TEST_CASE("the console and completion see the names of the caller when its frame is chosen", "[window][host][debug]") {
  Debugged d(kLoop);
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

TEST_CASE("while the caller's frame is chosen it is said whose names the table, the values and the lines of Python have",
          "[window][host][debug]") {
  Debugged d(
      "import numpy as np\n"             // 1
      "\n"                               // 2
      "def step(i):\n"                   // 3
      "    loss = np.full(2, i)\n"       // 4
      "    return loss\n"                // 5
      "\n"                               // 6
      "def main():\n"                    // 7
      "    loss = np.full(2, 70)\n"      // 8
      "    for i in range(3):\n"         // 9
      "        step(i)\n"                // 10
      "\n"                               // 11
      "main()\n");                       // 12
  app::Application& app = d.window.app();
  d.breakpoint_at(5, "i == 1");
  d.press(ImGuiKey_F5);
  REQUIRE(d.wait_for_stop());
  REQUIRE(d.window.story().wait_for([&] { return app.index() != nullptr && app.index()->find("main().loss").has_value(); }));
  // Without spaces, which drawn_text() only guesses, and without line breaks.
  const auto shows = [](const char* panel, std::string_view words) {
    const ImRect place = ImGui::FindWindowByName(panel)->InnerRect;
    std::string text = drawn_text(place.Min, place.Max), wanted(words);
    for (std::string* const each : {&text, &wanted}) std::erase_if(*each, [](char c) { return c == ' ' || c == '\n'; });
    return text.find(wanted) != std::string::npos;
  };
  app.commands().push(app::command::SelectTensor{app.index()->find("loss").value()});
  d.window.story().frames(5);
  CHECK_FALSE(shows("Tensors", "Names as in"));
  app.commands().push(app::command::ChooseFrame{1});
  d.window.story().frames(5);
  CHECK(shows("Tensors", "Names as in step(), the innermost frame; you are in main()."));
  for (const char* const panel : {"Values", "Inspector"}) CHECK(shows(panel, "loss of step()"));
  // The same name is another array there, as Python says.
  d.type("print('here', loss.max())");
  REQUIRE(d.window.wait_for_output("here 70"));
  REQUIRE(d.wait_for_stop());
  app.commands().push(app::command::SelectTensor{app.index()->find("main().loss").value()});
  d.window.story().frames(5);
  CHECK_FALSE(shows("Values", "of step()"));
  app.commands().push(app::command::SelectTensor{app.index()->find("loss").value()});
  app.commands().push(app::command::Ask{app::ActionId::copy_selected});
  REQUIRE(d.window.story().wait_for([&] { return shows("Exchange", "dlscope.copy(loss)"); }));
  CHECK(shows("Exchange", "For the console in step(): in main(), where you are, its names may mean other objects."));
}

TEST_CASE("a breakpoint stops on its code after a line was typed above it", "[window][host][debug]") {
  Debugged d(kLoop);
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
  Debugged d(kLoop);
  d.breakpoint_at(10);
  d.press(ImGuiKey_F5);
  REQUIRE(d.wait_for_stop());
  d.press(ImGuiMod_Shift | ImGuiKey_F5);
  REQUIRE(d.ends());
  CHECK(d.window.app().outcome().outcome == core::Outcome::interrupted);
  CHECK(d.window.app().output().all_text().find("total 9900") == std::string::npos);
  d.press(ImGuiKey_F5);
  REQUIRE(d.wait_for_stop());
  restart(d.window.app());
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
  CHECK(window.app().host().stop()->at.message.find("ZeroDivisionError") != std::string::npos);
  window.story().act([](ImGuiTestContext* ui) { ui->KeyPress(ImGuiKey_F5); });
  CHECK(window.wait_for_output("caught"));
  CHECK(window.wait_for_state(HostState::idle));
}

TEST_CASE("after an exception inside three calls its frames, locals, console and watches are there",
          "[window][host][debug][ended]") {
  Debugged d(
      "import numpy as np\n"             // 1
      "\n"                               // 2
      "def inner(x):\n"                  // 3
      "    part = x[1:]\n"               // 4
      "    raise ValueError('bad')\n"    // 5
      "\n"                               // 6
      "def middle(n):\n"                 // 7
      "    big = np.arange(float(n))\n"  // 8
      "    inner(big)\n"                 // 9
      "\n"                               // 10
      "def main():\n"                    // 11
      "    middle(7)\n"                  // 12
      "\n"                               // 13
      "main()\n");                       // 14
  app::Application& app = d.window.app();
  app.commands().push(app::command::SetWatches{{"n", "part.sum()"}});
  d.press(ImGuiKey_F5);
  REQUIRE(d.window.story().wait_for(
      [&] { return app.host().ended() != nullptr && d.window.state() == HostState::idle && app.index() != nullptr; }));
  d.window.story().frames(12);
  const app::StopView& ended = *app.host().ended();
  CHECK(ended.at.message == "ValueError: bad");
  REQUIRE(ended.at.frames.size() == 4);
  CHECK(ended.chosen()->function == "inner");
  CHECK(d.panel().marked_line == 5);
  CHECK(app.panels().menu.show[app::ActionContext::stack]);
  // Its locals are the table's first rows, and share what the caller's do.
  const auto group = [&](const char* name) { return app.index()->tensor(app.index()->find(name).value()).group; };
  REQUIRE(app.index()->find("part").has_value());
  REQUIRE(app.index()->find("x").has_value());
  CHECK(app.index()->find("x") == 0U);
  CHECK(group("x") == group("part"));
  const auto& watches = app.panels().stack.watches;
  REQUIRE(d.window.story().wait_for([&] { return watches.answered; }));
  CHECK(watches.values[0].error.find("NameError") != std::string::npos);
  CHECK(watches.values[1].text.find("21") != std::string::npos);
  // Another frame.
  d.window.app().commands().push(app::command::ChooseFrame{1});
  d.window.story().frames(3);
  CHECK(d.panel().marked_line == 9);
  REQUIRE(d.window.story().wait_for([&] { return watches.answered && watches.values[0].text == "7"; }));
  d.type("print('in', n, big.size)");
  REQUIRE(d.window.wait_for_output("in 7 7"));
  REQUIRE(d.ends());
  CHECK(app.outcome().outcome == core::Outcome::raised);  // the script's own end is still what it was
  // What is shown is as of that line, and nothing has run since.
  REQUIRE(d.window.story().wait_for([&] { return app.moment().run == 2; }));
  CHECK(app.moment().since == app::Since::nothing);
  CHECK(app.host().ended() != nullptr);
  d.window.story().frames(3);
  // Let go: what only they held is gone, and the table says so.
  d.window.story().act([](ImGuiTestContext* ui) {
    ui->SetRef("//Stack");
    ui->ItemClick("Let go");
  });
  REQUIRE(d.window.story().wait_for([&] { return d.window.state() == HostState::idle && !app.index()->find("x").has_value(); }));
  CHECK(app.host().frames() == nullptr);
  d.window.story().frames(3);
  CHECK(d.panel().marked_line == 0);
  // It runs again as ever.
  d.press(ImGuiKey_F5);
  REQUIRE(d.window.story().wait_for([&] { return app.host().ended() != nullptr; }));
}

TEST_CASE("one click shows what was local to main()", "[window][host][debug][ended]") {
  Debugged d("import numpy as np\n\ndef main():\n    x = np.arange(5.0)\n    y = x[::2]\n    print('sum', y.sum())\n\nmain()\n");
  app::Application& app = d.window.app();
  d.press(ImGuiKey_F5);
  REQUIRE(d.window.wait_for_output("sum 6.0"));
  REQUIRE(d.ends());
  REQUIRE(d.window.story().wait_for([&] { return app.index() != nullptr && app.index()->snapshot->info.functions_returned; }));
  CHECK(app.index()->size() == 0);
  d.window.story().frames(3);
  d.window.story().act([](ImGuiTestContext* ui) { ui->ItemClick("//Tensors/**/###way back"); });
  REQUIRE(d.wait_for_stop());
  CHECK(d.stop().at.reason == StopReason::returns);
  CHECK(d.line() == 6);
  CHECK(app.index()->find("x").has_value());
  CHECK(app.index()->find("y").has_value());
  d.press(ImGuiKey_F5);
  CHECK(d.ends());
  d.press(ImGuiKey_F5);  // an ordinary run does not stop
  REQUIRE(d.window.story().wait_for([&] { return app.host().runs() == 3 && d.window.state() == HostState::idle; }));
  CHECK(app.outcome().outcome == core::Outcome::finished);
}

TEST_CASE("a write past the end of an array names the array, and its memory can still be read", "[window][host][debug][ended]") {
  // Two pages of its own: behind the second nothing may be touched.
  Debugged d(
      "import ctypes; libc = ctypes.CDLL(None)\n"
      "import numpy as np\n"
      "libc.mmap.restype = ctypes.c_void_p\n"
      "address = libc.mmap(None, ctypes.c_size_t(3 * 4096), 3, 0x22, -1, ctypes.c_long(0))\n"
      "libc.mprotect(ctypes.c_void_p(address + 8192), ctypes.c_size_t(4096), 0)\n"
      "x = np.ctypeslib.as_array((ctypes.c_double * 1024).from_address(address))\n"
      "def write(at):\n"
      "    ctypes.c_double.from_address(address + 8 * at).value = 1.5\n"
      "print('ready')\n"
      "write(1025)\n");
  app::Application& app = d.window.app();
  d.breakpoint_at(9);
  d.press(ImGuiKey_F5);
  REQUIRE(d.wait_for_stop());
  d.press(ImGuiKey_F5);
  REQUIRE(d.window.wait_for_state(HostState::crashed));
  const auto& crash = app.outcome().crash;
  REQUIRE(crash.has_value());
  CHECK(crash->where == "In the last snapshot, taken in this run, the address lies 8 bytes past the end of x.");
  CHECK(crash->memory == "nothing may be read or written there");
  CHECK(crash->native.size() > 2);
  CHECK(app.host().detail().find("8 bytes past the end of x") != std::string::npos);
  CHECK(app.output().all_text().find("line 8 in write") != std::string::npos);
  d.window.story().frames(12);
  CHECK(app.panels().menu.show[app::ActionContext::stack]);
  CHECK(app.index()->find("x").has_value());
  CHECK(app.moment().since == app::Since::crashed);
  CHECK_FALSE(app.host().process_gone());  // its memory stands until Restart
}

}  // namespace dlscope::tests
