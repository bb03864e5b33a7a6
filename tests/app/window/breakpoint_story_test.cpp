// Stories of breakpoints: set in the gutter and by key, with conditions, following what is typed, kept with the settings.
#include <catch2/catch_test_macros.hpp>

#include <filesystem>
#include <fstream>
#include <string>

#include "tests/support/temporary_folder.h"
#include "tests/app/window/debugged_story.h"

namespace dlscope::tests {

TEST_CASE("a click beside a line sets a breakpoint, F9 does so at the cursor, and the host is told", "[window][debug]") {
  DebuggedStory d;
  CHECK(d.sent().empty());  // with its start
  d.click_gutter(4);
  REQUIRE(d.sent().size() == 1);
  CHECK(d.sent()[0].path == "/home/u/train.py");
  CHECK(d.sent()[0].line == 4);
  d.put_cursor(8);
  d.press(ImGuiKey_F9);
  REQUIRE(d.sent().size() == 2);
  CHECK(d.sent()[1].line == 8);
  CHECK(app::editor_text(d.panel()) == kDebuggedText);  // F9 typed nothing
  d.press(ImGuiKey_F9);
  CHECK(d.sent().size() == 1);
  d.click_gutter(4);
  CHECK(d.sent().empty());
  CHECK(d.story.app().settings().breakpoints.empty());
}

TEST_CASE("a right click beside a line sets a condition, a count and a text to print", "[window][debug]") {
  DebuggedStory d;
  d.click_gutter(4, ImGuiMouseButton_Right);
  d.story.act([](ImGuiTestContext* ui) {
    ui->SetRef("//$FOCUSED");
    ui->ItemInput("##condition");
    ui->KeyCharsReplaceEnter("i == 37");
  });
  d.story.frames(2);
  REQUIRE(d.sent().size() == 1);
  CHECK(d.sent()[0].condition == "i == 37");
  CHECK(d.sent()[0].line == 4);
  d.story.act([](ImGuiTestContext* ui) { ui->PopupCloseAll(); });
  d.click_gutter(4, ImGuiMouseButton_Right);
  d.story.act([](ImGuiTestContext* ui) {
    ui->SetRef("//$FOCUSED");
    ui->ItemClick("Disable");
  });
  d.story.frames(2);
  REQUIRE(d.sent().size() == 1);
  CHECK_FALSE(d.sent()[0].enabled);
  CHECK(d.sent()[0].condition == "i == 37");
  REQUIRE(d.story.app().settings().breakpoints.size() == 1);
  CHECK(d.story.app().settings().breakpoints[0].condition == "i == 37");
}

TEST_CASE("what is typed into a menu of the script is none of the editor's", "[window][debug]") {
  DebuggedStory d;
  d.put_cursor(4);
  d.click_gutter(4, ImGuiMouseButton_Right);
  d.story.act([](ImGuiTestContext* ui) { ui->KeyChars("i == 37"); });  // the menu has the keyboard at once
  d.press(ImGuiKey_Enter);
  REQUIRE(d.sent().size() == 1);
  CHECK(d.sent()[0].condition == "i == 37");
  CHECK_FALSE(d.story.app().panels().popup_open);

  d.put_cursor(4);
  d.click_gutter(4, ImGuiMouseButton_Right);
  d.story.act([](ImGuiTestContext* ui) { ui->KeyChars("i == 38"); });
  d.story.act([](ImGuiTestContext* ui) { ui->KeyPress(ImGuiKey_Escape); });  // what stood there is back
  d.press(ImGuiKey_Backspace);
  d.press(ImGuiKey_Escape);
  REQUIRE(d.sent().size() == 1);
  CHECK(d.sent()[0].condition == "i == 37");

  d.put_cursor(4);
  d.click_gutter(4, ImGuiMouseButton_Right);
  d.story.act([](ImGuiTestContext* ui) { ui->KeyCharsReplace("i == 39"); });
  d.click_gutter(7);  // a click elsewhere closes the menu and takes what was typed
  REQUIRE(d.sent().size() == 1);
  CHECK(d.sent()[0].condition == "i == 39");

  d.put_cursor(4);
  d.story.act([](ImGuiTestContext* ui) {
    ui->SetRef("Script");
    ui->ItemClick("###arguments");
    ui->KeyChars("--epochs 3");
  });
  d.press(ImGuiKey_Enter);
  CHECK(d.panel().arguments == "--epochs 3");
  CHECK_FALSE(d.story.app().panels().popup_open);
  CHECK(app::editor_text(d.panel()) == kDebuggedText);
}

TEST_CASE("breakpoints follow the lines that are typed, taken back and brought back", "[window][debug]") {
  DebuggedStory d;
  d.click_gutter(4);
  d.click_gutter(8);
  d.put_cursor(1);
  d.press(ImGuiKey_Enter);
  d.press(ImGuiKey_Enter);
  REQUIRE(d.sent().size() == 2);
  CHECK(d.sent()[0].line == 6);
  CHECK(d.sent()[1].line == 10);
  d.press(ImGuiMod_Ctrl | ImGuiKey_Z);
  CHECK(d.sent()[0].line == 5);
  d.press(ImGuiMod_Ctrl | ImGuiKey_Z);
  CHECK(d.sent()[0].line == 4);
  CHECK(d.sent()[1].line == 8);
  // In the code itself: what stands behind the cursor goes down, and the breakpoint with the line's code.
  d.put_cursor(4);
  d.press(ImGuiKey_Enter);
  CHECK(d.sent()[0].line == 5);
  // Commenting lines moves nothing.
  const auto before = d.sent();
  d.story.act([](ImGuiTestContext* ui) {
    ui->KeyPress(ImGuiMod_Ctrl | ImGuiKey_A);
    ui->KeyPress(ImGuiMod_Ctrl | ImGuiKey_Slash);
  });
  d.story.frames(2);
  CHECK(app::editor_text(d.panel()).find("# ") != std::string::npos);
  CHECK(d.sent() == before);
}

TEST_CASE("breakpoints, watches and how to stop outlive the window", "[window][debug]") {
  app::Settings kept;
  {
    DebuggedStory d;
    d.click_gutter(4);
    d.story.app().commands().push(app::command::SetWatches{{"x.shape"}});
    d.story.app().commands().push(app::command::Ask{app::ActionId::stop_on_raise});
    d.story.app().panels().stack.options = {.stop_others = true, .library_code = true};
    d.story.frames(4);
    CHECK(d.story.host().breakpoints.back().on_raise);
    kept = d.story.app().settings();
  }
  const auto read = app::parse_settings(app::settings_text(kept));
  REQUIRE(read.has_value());
  app::ApplicationOptions options;
  options.settings = *read;
  DebuggedStory again(options);
  REQUIRE(again.story.host().breakpoints.size() == 1);  // once, before anything runs
  CHECK(again.sent()[0].line == 4);
  CHECK(again.story.host().breakpoints.back().on_raise);
  CHECK(again.story.host().breakpoints.back().stop_others);
  CHECK_FALSE(again.story.host().breakpoints.back().user_code_only);
  again.story.frames(4);
  CHECK(again.story.app().panels().stack.options.library_code);
  CHECK(again.story.host().breakpoints.size() == 1);
  CHECK(again.story.app().settings().watches == std::vector<std::string>{"x.shape"});
}

}  // namespace dlscope::tests
