// Stories of breakpoints: set in the gutter and by key, with conditions, following what is typed, kept with the settings.
#include <catch2/catch_test_macros.hpp>

#include <filesystem>
#include <fstream>
#include <string>

#include "tests/app/window/stories/debugged_story.h"
#include "tests/support/temporary_folder.h"

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

TEST_CASE("a breakpoint finds its line in a script that was changed between two sessions", "[window][debug]") {
  app::ApplicationOptions options;
  app::KeptBreakpoint kept;
  kept.path = "/home/u/train.py";
  kept.line = 3;  // then; a line was inserted above since
  kept.line_text = "x = np.zeros(i)";
  options.settings.breakpoints = {kept};
  DebuggedStory d(options);
  REQUIRE(d.sent().size() == 1);
  CHECK(d.sent()[0].line == 4);
  REQUIRE(d.story.app().settings().breakpoints.size() == 1);
  CHECK(d.story.app().settings().breakpoints[0].line == 4);
  d.click_gutter(8);
  const auto& stored = d.story.app().settings().breakpoints;
  REQUIRE(stored.size() == 2);
  CHECK(stored[0].line_text == "x = np.zeros(i)");
  CHECK(stored[1].line_text == "step(i)");
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

TEST_CASE("the list of breakpoints shows those of all files, and leads to a file beside the script", "[window][debug]") {
  const TemporaryFolder folder;
  const std::string other = folder / "helper.py";
  std::ofstream(other) << "def call(f):\n    y = 1\n    return f()\n";
  DebuggedStory d;
  d.story.app().load_text(folder / "train.py", kDebuggedText);
  d.story.frames(4);
  const auto open = [&] {
    d.story.act([](ImGuiTestContext* ui) { ui->ItemClick("//Script/Breakpoints \xE2\x80\xA6"); });
    d.story.frames(2);
  };
  // Another file, named from the script's folder: a breakpoint is set in it without running anything.
  open();
  d.story.act([](ImGuiTestContext* ui) {
    ui->SetRef("//$FOCUSED");
    ui->ItemClick("##other file");
    ui->KeyCharsReplaceEnter("helper.py");
  });
  d.story.frames(2);
  d.story.app().finish_background_work();
  d.story.frames(4);
  REQUIRE(d.panel().source.path == other);
  CHECK(d.panel().source.text.find("y = 1") != std::string::npos);
  CHECK(d.story.app().script().path == folder / "train.py");
  d.story.app().commands().push(app::command::ToggleBreakpoint{other, 3});
  d.story.app().commands().push(app::command::ToggleBreakpoint{folder / "train.py", 5});
  d.story.frames(2);
  REQUIRE(d.sent().size() == 2);
  core::wire::BreakpointsChanged said;
  for (const auto& each : d.sent())
    said.all.push_back({each.id, each.line, 0, each.line == 3 ? "Not reached: it is compiled" : ""});
  d.story.host().events.emplace_back(app::HostEvent{app::HostBreakpoints{said}});
  d.story.frames(2);
  open();
  d.story.act([](ImGuiTestContext* ui) {
    ui->SetRef("//$FOCUSED");
    ui->ItemClick("**/train.py:5");
  });
  d.story.frames(4);
  CHECK_FALSE(d.panel().source.open());
  CHECK(app::cursor_place(d.panel()).line == 5);
  open();
  d.story.act([](ImGuiTestContext* ui) {
    ui->SetRef("//$FOCUSED");
    ui->ItemClick("**/helper.py:3");
  });
  d.story.frames(2);
  d.story.app().finish_background_work();
  d.story.frames(4);
  CHECK(d.panel().source.path == other);
  CHECK(app::cursor_place(d.panel()).line == 3);
  // Another program changes it at two places; when it is shown again, the breakpoint is on its line.
  std::ofstream(other) << "import os\n\ndef call(f):\n    y = 1\n    return f()\n\n# end\n";
  open();
  d.story.act([](ImGuiTestContext* ui) {
    ui->SetRef("//$FOCUSED");
    ui->ItemClick("**/helper.py:3");
  });
  d.story.frames(2);
  d.story.app().finish_background_work();
  d.story.frames(4);
  CHECK(d.panel().source.text.starts_with("import os"));
  REQUIRE(d.sent().size() == 2);
  CHECK(d.sent()[0].path == other);
  CHECK(d.sent()[0].line == 5);
}

namespace {

// A script with a helper.py beside it, which is shown read-only by show(), as from the menu of breakpoints.
struct BesideStory {
  BesideStory() : helper(folder / "helper.py") {
    write("def call(f):\n    y = 1\n    return f()\n");
    open_script();
  }
  void write(const std::string& text) const { std::ofstream(helper) << text; }
  void open_script() {
    d.story.app().load_text(folder / "train.py", kDebuggedText);
    d.story.frames(4);
  }
  void show() {
    d.story.act([](ImGuiTestContext* ui) { ui->ItemClick("//Script/Breakpoints \xE2\x80\xA6"); });
    d.story.frames(2);
    d.story.act([](ImGuiTestContext* ui) {
      ui->SetRef("//$FOCUSED");
      ui->ItemClick("##other file");
      ui->KeyCharsReplaceEnter("helper.py");
    });
    d.story.frames(2);
    d.story.app().finish_background_work();
    d.story.frames(4);
    REQUIRE(d.panel().source.path == helper);
  }
  // Where the only breakpoint is.
  [[nodiscard]] std::uint32_t line() {
    REQUIRE(d.sent().size() == 1);
    CHECK(d.sent()[0].path == helper);
    return d.sent()[0].line;
  }

  TemporaryFolder folder;
  std::string helper;
  DebuggedStory d;
};

}  // namespace

TEST_CASE("a file that was shown and then edited as the script moves its breakpoints once", "[window][debug]") {
  BesideStory beside;
  DebuggedStory& d = beside.d;
  beside.show();
  d.story.app().commands().push(app::command::ToggleBreakpoint{beside.helper, 3});
  d.story.frames(2);
  d.story.act([](ImGuiTestContext* ui) { ui->ItemClick("//Script/**/Edit it instead"); });
  d.story.app().finish_background_work();
  d.story.frames(4);
  REQUIRE(d.story.app().script().path == beside.helper);
  CHECK_FALSE(d.panel().source.open());
  d.put_cursor(1);
  d.press(ImGuiKey_Enter);
  d.press(ImGuiKey_Enter);
  CHECK(beside.line() == 5);
  d.story.app().commands().push(app::command::Ask{app::ActionId::script_save});
  d.story.frames(2);
  d.story.app().finish_background_work();
  d.story.frames(2);
  REQUIRE_FALSE(d.story.app().script().modified);
  beside.open_script();
  beside.show();
  CHECK(d.panel().source.text.starts_with("\n\ndef call"));
  CHECK(beside.line() == 5);
  // Opened as the script while it is shown: it is not shown twice.
  REQUIRE(d.story.app().load_script(beside.helper).has_value());
  d.story.frames(4);
  CHECK_FALSE(d.panel().source.open());
}

TEST_CASE("a file that was left or unreadable for a moment still moves its breakpoints with what changed meanwhile", "[window][debug]") {
  BesideStory beside;
  beside.show();
  beside.d.story.app().commands().push(app::command::ToggleBreakpoint{beside.helper, 3});
  beside.d.story.frames(2);
  beside.d.story.act([](ImGuiTestContext* ui) { ui->ItemClick("//Script/**/Back to train.py"); });
  CHECK_FALSE(beside.d.panel().source.open());
  beside.write("\ndef call(f):\n    y = 1\n    return f()\n");
  beside.show();
  CHECK(beside.line() == 4);
  std::filesystem::remove(beside.helper);
  beside.show();
  CHECK_FALSE(beside.d.panel().source.failure.empty());
  CHECK(beside.line() == 4);
  beside.write("import os\n\ndef call(f):\n    y = 1\n    return f()\n");
  beside.show();
  CHECK(beside.d.panel().source.failure.empty());
  CHECK(beside.d.panel().source.text.starts_with("import os"));
  CHECK(beside.line() == 5);
}

TEST_CASE("the menu of a breakpoint closes by Enter in the count, by one Escape, and when the program runs on", "[window][debug]") {
  DebuggedStory d;
  d.run();
  d.stop();
  const auto is_open = [] { return ImGui::IsPopupOpen("", ImGuiPopupFlags_AnyPopupId | ImGuiPopupFlags_AnyPopupLevel); };
  const auto open = [&] {
    d.click_gutter(4, ImGuiMouseButton_Right);
    d.story.frames(2);
    REQUIRE(is_open());
  };
  open();
  d.story.act([](ImGuiTestContext* ui) {
    ui->SetRef("//$FOCUSED");
    ui->ItemInput("##hit");
    ui->KeyCharsReplaceEnter("3");
  });
  d.story.frames(2);
  CHECK_FALSE(is_open());
  REQUIRE(d.sent().size() == 1);
  CHECK(d.sent()[0].hit == 3);
  open();
  d.press(ImGuiKey_Escape);
  d.story.frames(2);
  CHECK_FALSE(is_open());
  open();
  d.press(ImGuiKey_F5);
  d.story.frames(3);
  CHECK_FALSE(is_open());
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
  d.story.frames(2);
  CHECK_FALSE(d.story.app().panels().popup_open);
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

TEST_CASE("what is typed at a stop moves nothing in the code that runs: breakpoints, the line of the stop and run-to keep theirs",
          "[window][debug]") {
  DebuggedStory d;
  d.click_gutter(4);
  d.click_gutter(8);
  d.run();
  d.stop(1, 4);
  REQUIRE(d.panel().gutter.frame_line == 4);
  d.put_cursor(1);
  d.press(ImGuiKey_Enter);
  d.press(ImGuiKey_Enter);
  CHECK(d.panel().gutter.frame_line == 6);
  CHECK(d.story.app().settings().breakpoints[0].line == 6);
  const auto in_code = [&] {
    std::vector<std::uint32_t> lines;
    for (const auto& each : d.sent()) lines.push_back(each.line);
    return lines;
  };
  CHECK(in_code() == std::vector<std::uint32_t>{4, 8});
  d.click_gutter(7);  // "return x" is line 5 of the code
  CHECK(in_code() == std::vector<std::uint32_t>{4, 5, 8});
  d.click_gutter(2);  // a line that the code has not
  CHECK(in_code() == std::vector<std::uint32_t>{4, 5, 8});
  CHECK(d.story.app().settings().breakpoints[0].line == 2);
  CHECK(d.story.text_of_frame().find("the script goes on as it was") != std::string::npos);

  d.story.app().commands().push(app::command::RunToLine{"/home/u/train.py", 2});
  d.story.frames(2);
  CHECK(d.story.host().resumes.empty());
  CHECK(d.story.text_of_frame().find("written after the script was started") != std::string::npos);
  d.story.app().commands().push(app::command::RunToLine{"/home/u/train.py", 7});
  d.story.frames(2);
  REQUIRE(d.story.host().resumes.size() == 1);
  CHECK(d.story.host().resumes[0].line == 5);

  d.story.host().finish({}, nullptr);
  d.story.frames(4);
  const std::size_t runs = d.story.host().runs.size();
  d.press(ImGuiKey_F5);  // runs the text as it is now
  REQUIRE(d.story.host().runs.size() == runs + 1);
  CHECK(in_code() == std::vector<std::uint32_t>{2, 6, 7, 10});
}

TEST_CASE("breakpoints, watches and how to stop outlive the window", "[window][debug]") {
  app::Settings kept;
  {
    DebuggedStory d;
    d.click_gutter(4);
    d.story.app().commands().push(app::command::SetWatches{{"x.shape"}});
    d.story.app().commands().push(app::command::Ask{app::ActionId::stop_on_raise});
    d.story.app().commands().push(app::command::Ask{app::ActionId::stop_on_uncaught});
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
  CHECK(again.story.host().breakpoints.back().on_uncaught);
  CHECK(again.story.host().breakpoints.back().stop_others);
  CHECK_FALSE(again.story.host().breakpoints.back().user_code_only);
  again.story.frames(4);
  CHECK(again.story.app().panels().stack.options.library_code);
  CHECK(again.story.host().breakpoints.size() == 1);
  CHECK(again.story.app().settings().watches == std::vector<std::string>{"x.shape"});
}

}  // namespace dlscope::tests
