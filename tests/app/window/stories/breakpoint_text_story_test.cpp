// Stories of breakpoints and the text they stand in: a script that was never saved, a file that is opened again while it runs.
#include <catch2/catch_test_macros.hpp>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "tests/app/window/stories/debugged_story.h"
#include "tests/support/temporary_folder.h"

namespace dlscope::tests {
namespace {

// A window whose script has no file; what is unsaved is stored in `state`.
struct DraftStory {
  explicit DraftStory(const std::string& state) : d(options_for(state)) { settle(); }
  static app::ApplicationOptions options_for(const std::string& state) {
    app::ApplicationOptions options;
    options.state_folder = state;
    return options;
  }
  void settle() {
    for (int i = 0; i < 2; ++i) {
      d.story.app().finish_background_work();
      d.story.frames(3);
    }
  }
  void start_new() {
    d.story.app().commands().push(app::command::NewScript{});
    d.story.frames(4);
  }
  void type(const char* text) {
    d.put_cursor(1);
    d.story.act([=](ImGuiTestContext* ui) { ui->KeyChars(text); });
    d.story.frames(2);
  }
  // Clicks "Restore" in the notice whose words have this.
  void restore(const std::string& words) {
    for (const app::Notice& notice : d.story.app().notices().all()) {
      if (notice.text.find(words) == std::string::npos || !notice.command) continue;
      d.story.app().commands().push(*notice.command);
      break;
    }
    d.story.frames(2);
    settle();
  }
  void put(std::uint32_t line, const char* condition, std::uint64_t hit = 1, const char* log = "", bool enabled = true) {
    core::wire::Breakpoint b;
    b.path = app::kUnsavedScript;
    b.line = line;
    b.condition = condition;
    b.hit = hit;
    b.log_text = log;
    b.enabled = enabled;
    d.story.app().commands().push(app::command::PutBreakpoint{b});
    d.story.frames(2);
  }

  DebuggedStory d;
};

}  // namespace

TEST_CASE("the breakpoints of a script that was never saved come back with its text, and with no other", "[window][debug]") {
  const TemporaryFolder state;
  {
    DraftStory story(state.path().string());
    story.start_new();
    story.type("x = 1");
    story.put(1, "x > 3", 4, "x is {x}", false);
    story.d.put_cursor(1);  // the breakpoint moves with its line
    story.d.press(ImGuiKey_Enter);
    story.d.press(ImGuiKey_Enter);
    REQUIRE(story.d.sent().size() == 1);
    CHECK(story.d.sent()[0].line == 3);
    story.start_new();
    CHECK(story.d.sent().empty());
    story.type("y = 1");
    story.restore("put aside");
    CHECK(app::editor_text(story.d.panel()) == "\n\nx = 1\n");
    REQUIRE(story.d.sent().size() == 1);
    CHECK(story.d.sent()[0].line == 3);
    story.restore("put aside");
    CHECK(app::editor_text(story.d.panel()) == "y = 1\n");
    CHECK(story.d.sent().empty());
    story.put(1, "");
  }  // the window is closed: both are stored
  DraftStory again(state.path().string());
  CHECK(again.d.sent().empty());
  again.restore("ends with “x = 1”");
  CHECK(app::editor_text(again.d.panel()) == "\n\nx = 1\n");
  REQUIRE(again.d.sent().size() == 1);
  const core::wire::Breakpoint& back = again.d.sent()[0];
  CHECK(back.path == app::kUnsavedScript);
  CHECK(back.line == 3);
  CHECK(back.condition == "x > 3");
  CHECK(back.hit == 4);
  CHECK(back.log_text == "x is {x}");
  CHECK_FALSE(back.enabled);
  again.restore("ends with “y = 1”");
  CHECK(app::editor_text(again.d.panel()) == "y = 1\n");
  REQUIRE(again.d.sent().size() == 1);
  CHECK(again.d.sent()[0].line == 1);
  CHECK(again.d.sent()[0].condition.empty());
}

TEST_CASE("a breakpoint that was set after the last edit of an unsaved script is stored, too", "[window][debug]") {
  const TemporaryFolder state;
  DraftStory story(state.path().string());
  story.start_new();
  story.type("x = 1");
  story.put(1, "x > 3");
  story.settle();
  std::string stored;  // as a crash now would leave it
  for (const auto& file : std::filesystem::directory_iterator(state.path())) {
    if (file.path().extension() != ".txt") continue;
    std::ifstream in(file.path());
    stored.assign(std::istreambuf_iterator<char>(in), {});
  }
  CHECK(stored.find("x > 3") != std::string::npos);
  CHECK(stored.ends_with("\nx = 1\n"));
}

TEST_CASE("a file that is opened again at a stop keeps the lines of the code that runs", "[window][debug]") {
  const TemporaryFolder folder;
  const std::string path = folder / "train.py", other = folder / "other.py";
  std::ofstream(path) << kDebuggedText;
  std::ofstream(other) << "y = 1\n";
  DebuggedStory d;
  const auto open = [&](const std::string& file) {
    d.story.app().commands().push(app::command::OpenScript{file});
    d.story.frames(2);
    d.story.app().finish_background_work();
    d.story.frames(4);
    REQUIRE(d.story.app().script().path == file);
  };
  const auto in_code = [&] {
    std::vector<std::uint32_t> lines;
    for (const auto& each : d.sent()) lines.push_back(each.line);
    return lines;
  };
  open(path);
  d.click_gutter(5);
  d.run();
  core::wire::Stopped at;
  at.stop = 1;
  at.frames = {{"step", path, 4, true}};
  d.story.host().stop_at(std::move(at), nullptr);
  d.story.frames(4);
  REQUIRE(d.panel().gutter.frame_line == 4);
  // Two lines are typed above, saved, another file is looked at, and this one is opened again.
  d.put_cursor(1);
  d.press(ImGuiKey_Enter);
  d.press(ImGuiKey_Enter);
  d.story.app().commands().push(app::command::Ask{app::ActionId::script_save});
  d.story.frames(2);
  d.story.app().finish_background_work();
  d.story.frames(2);
  REQUIRE_FALSE(d.story.app().script().modified);
  for (const bool between : {false, true}) {
    if (between) {
      open(other);
      CHECK(in_code() == std::vector<std::uint32_t>{5});
    }
    open(path);
    CHECK(d.panel().gutter.frame_line == 6);
    CHECK(in_code() == std::vector<std::uint32_t>{5});
    CHECK(d.story.app().settings().breakpoints.at(0).line == 7);
  }
  // What was typed and not saved is lost with the text; the lines are those of the file again.
  open(other);
  std::ofstream(path) << "import os\n" << kDebuggedText;
  open(path);
  CHECK(d.panel().gutter.frame_line == 5);
  CHECK(in_code() == std::vector<std::uint32_t>{5});
  CHECK(d.story.app().settings().breakpoints.at(0).line == 6);
  d.click_gutter(1);  // is not in the code that runs
  CHECK(in_code() == std::vector<std::uint32_t>{5});
  d.click_gutter(9);
  CHECK(in_code() == std::vector<std::uint32_t>{5, 8});
}

}  // namespace dlscope::tests
