// The console with a real Python: completion, many lines, parts of a script, input() and a secret one.
#include <catch2/catch_test_macros.hpp>

#include <string>

#include "tests/app/window/real/live_window.h"

namespace dlscope::tests {
namespace {

app::ConsoleInputState& console(LiveWindow& window) { return window.app().panels().output.console; }

void type(LiveWindow& window, const char* text) {
  const char* field = window.app().host().busy() ? "//Output/##reply" : "//Output/##input";
  window.story().act([=](ImGuiTestContext* ui) {
    ui->ItemClick(field);
    ui->KeyPress(ImGuiMod_Ctrl | ImGuiKey_End);
    ui->KeyChars(text);
  });
  window.story().frames(2);
}

void press(LiveWindow& window, ImGuiKeyChord chord) {
  window.story().act([=](ImGuiTestContext* ui) { ui->KeyPress(chord); });
  window.story().frames(2);
}

}  // namespace

TEST_CASE("Tab completes attributes of a real array", "[window][host]") {
  LiveWindow window;
  window.run("import numpy as np\nlong_name = np.arange(6)\n");
  type(window, "long_n");
  press(window, ImGuiKey_Tab);
  REQUIRE(window.story().wait_for([&] { return console(window).python.text == "long_name"; }));
  type(window, ".resha");
  press(window, ImGuiKey_Tab);
  CHECK(window.story().wait_for([&] { return console(window).python.text == "long_name.reshape"; }));
}

TEST_CASE("a block typed at the console runs when Python says that it is whole", "[window][host]") {
  LiveWindow window;
  type(window, "for i in range(3):");
  press(window, ImGuiKey_Enter);
  REQUIRE(window.story().wait_for([&] { return console(window).python.text == "for i in range(3):\n    "; }));
  type(window, "print('line', i)");
  press(window, ImGuiKey_Enter);
  REQUIRE(window.story().wait_for([&] {
    const std::string& text = console(window).python.text;
    return text.ends_with("\n    ") && text.size() > 30;
  }));
  press(window, ImGuiKey_Enter);
  CHECK(window.wait_for_output("line 2"));
}

TEST_CASE("a line that the script waits for is asked for, a secret one without showing it", "[window][host]") {
  LiveWindow window;
  window.start("import getpass\nname = input('who? ')\nword = getpass.getpass('word? ')\nprint('got', name, len(word))\n");
  REQUIRE(window.story().wait_for([&] { return window.app().host().waits_for_line(); }));
  CHECK(window.app().host().echoes());
  type(window, "ann");
  press(window, ImGuiKey_Enter);
  REQUIRE(window.story().wait_for([&] { return window.app().host().waits_for_line() && !window.app().host().echoes(); }));
  type(window, "hush");
  press(window, ImGuiKey_Enter);
  CHECK(window.wait_for_output("got ann 4"));
  CHECK(window.app().output().all_text().find("hush") == std::string::npos);
}

TEST_CASE("a script that asks gets the keyboard with its prompt, and nothing that was typed for Python", "[window][host]") {
  LiveWindow window;
  type(window, "a = 6 * 7");
  press(window, ImGuiKey_Enter);
  REQUIRE(window.story().wait_for([&] { return window.app().host().run_finished() && !window.app().host().busy(); }));
  window.story().act([](ImGuiTestContext* ui) { ui->WindowFocus("//Log"); });  // the output is behind another tab
  window.start("answer = input('which one? ')\nprint('got', repr(answer))\n");
  REQUIRE(window.story().wait_for([&] { return window.app().host().waits_for_line() && console(window).active(); }));
  window.story().frames(3);
  CHECK(console(window).reply.prompt == "which one?");
  CHECK(console(window).reply.text.empty());
  window.story().act([](ImGuiTestContext* ui) { ui->KeyChars("this"); });
  CHECK(console(window).reply.text == "this");
  press(window, ImGuiKey_Enter);
  CHECK(window.wait_for_output("got 'this'"));
}

TEST_CASE("an error in a part of the script is marked in the line where it stands", "[window][host]") {
  LiveWindow window;
  window.run("a = 1\n\n\nif a:\n    b = a / 0\n");
  window.story().frames(2);
  window.app().panels().script.reveal_line = 4;
  window.story().frames(4);
  press(window, ImGuiMod_Ctrl | ImGuiKey_Enter);
  REQUIRE(window.story().wait_for([&] { return window.app().output().all_text().find(">>> b = a / 0") != std::string::npos; }));
  REQUIRE(window.wait_for_state(app::HostState::idle));
  REQUIRE(window.app().outcome().error.has_value());
  CHECK(window.app().outcome().error->line == 5);
}

}  // namespace dlscope::tests
