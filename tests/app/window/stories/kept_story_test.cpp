// Stories of what is the person's, and is neither lost nor replaced unasked: a run, a text, a file's place, an expression.
#include <catch2/catch_test_macros.hpp>

#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "app/models/debug/watch_values.h"
#include "tests/app/window/stories/debugged_story.h"
#include "tests/app/window/stories/story.h"
#include "tests/support/sample_snapshot.h"
#include "tests/support/temporary_folder.h"

namespace dlscope::tests {
namespace {

void ready(Story& story) {
  story.host().found_python();
  story.host().ready();
  story.frames(2);
}

void quit(Story& story) {
  story.app().commands().push(app::command::Quit{});
  story.frames(2);
}

[[nodiscard]] std::string last_notice(Story& story) {
  return story.app().notices().all().empty() ? std::string() : story.app().notices().all().back().text;
}

void type(Story& story) {
  story.frames(3);
  story.app().panels().script.focus_editor = true;
  story.frames(3);
  story.act([](ImGuiTestContext* ui) { ui->KeyChars("# typed "); });
  story.frames(3);
}

void write(const std::string& path, const std::string& text) { std::ofstream(path) << text; }

[[nodiscard]] app::ApplicationOptions with_state(const std::string& folder) {
  app::ApplicationOptions out;
  out.state_folder = folder;
  return out;
}

// What a script leaves whose tensors were all local to main().
core::SnapshotPtr all_was_local() {
  auto out = std::make_shared<core::Snapshot>(*snapshot_of({}));
  out->info.functions_returned = true;
  out->info.last_function = {static_cast<std::uint32_t>(out->text.size()), 4};
  for (const char c : std::string_view("main")) out->text.push_back(c);
  return out;
}

}  // namespace

TEST_CASE("leaving the window while a script runs asks first, and a second time is the answer", "[window][kept]") {
  Story story;
  story.app().load_text("", "while True: pass\n");
  ready(story);
  SECTION("nothing runs: nothing is asked") {
    quit(story);
    CHECK(story.app().quit_requested());
    CHECK(last_notice(story).empty());
  }
  SECTION("a script runs") {
    story.app().run_script();
    story.frames(2);
    quit(story);
    CHECK_FALSE(story.app().quit_requested());
    CHECK(last_notice(story) == "Quit ends the script, which is running: what it has not written is lost.");
    SECTION("once more") { quit(story); }
    SECTION("the button") {
      story.act([](ImGuiTestContext* ui) { ui->ItemClick("//##notices/**/Quit"); });
      story.frames(2);
    }
    CHECK(story.app().quit_requested());
  }
  SECTION("it has ended since it was asked: nothing is left to ask about") {
    story.app().run_script();
    story.frames(2);
    quit(story);
    story.host().finish(finished(), empty_snapshot());
    story.frames(3);
    quit(story);
    CHECK(story.app().quit_requested());
  }
  SECTION("the question goes with the next run, which is asked about anew") {
    story.app().run_script();
    story.frames(2);
    quit(story);
    story.host().finish(finished(), empty_snapshot());
    story.frames(3);
    story.app().run_script();
    story.frames(2);
    quit(story);
    CHECK_FALSE(story.app().quit_requested());
  }
  SECTION("a line of the console runs") {
    story.app().commands().push(app::command::RunText{.text = "sleep(9)"});
    story.frames(2);
    quit(story);
    CHECK_FALSE(story.app().quit_requested());
    CHECK(last_notice(story) == "Quit ends the line of the console that is running: what it has not written is lost.");
  }
}

TEST_CASE("leaving the window at a stop asks first", "[window][kept][debug]") {
  DebuggedStory d;
  d.run();
  d.stop();
  quit(d.story);
  CHECK_FALSE(d.story.app().quit_requested());
  CHECK(last_notice(d.story) == "Quit ends the script, which stands at a stop: what it has not written is lost.");
  quit(d.story);
  CHECK(d.story.app().quit_requested());
}

TEST_CASE("an expression that finds no room among the watched ones stays where it was typed, and the list says why",
          "[window][kept][debug]") {
  DebuggedStory d;
  d.run();
  d.stop();
  std::vector<std::string> many;
  for (std::size_t i = 0; i < app::kMaxWatches; ++i) many.push_back("x" + std::to_string(i));
  d.story.app().commands().push(app::command::SetWatches{many});
  d.story.frames(3);
  d.story.act([](ImGuiTestContext* ui) {
    ui->ItemClick("//Stack/##watch");
    ui->KeyCharsAppendEnter("loss.item()");
  });
  d.story.frames(3);
  CHECK(d.story.app().panels().stack.watches.typed == "loss.item()");
  CHECK(d.story.app().settings().watches == many);
  CHECK(d.story.text_of_frame().find("100 are watched, and no more can be: take one off first.") != std::string::npos);
}

TEST_CASE("text that cannot be stored is asked about after the script that runs", "[window][kept]") {
  Story story(with_state("/proc/nowhere"));
  story.app().load_text("", "x = 1\n");
  ready(story);
  type(story);
  REQUIRE(story.app().script().modified);
  story.app().run_script();
  story.frames(2);
  quit(story);
  CHECK(last_notice(story).starts_with("Quit ends the script"));
  quit(story);
  REQUIRE(story.wait_for([&] { return last_notice(story).find("cannot be stored") != std::string::npos; }));
  CHECK_FALSE(story.app().quit_requested());
  quit(story);
  CHECK(story.app().quit_requested());
}

TEST_CASE("with another script open the empty table says whose run it was, and runs nothing else in its place", "[window][kept]") {
  const TemporaryFolder folder;
  for (const char* name : {"loc.py", "loc2.py"}) write(folder / name, "def main(): pass\nmain()\n");
  Story story;
  REQUIRE(story.app().load_script(folder / "loc.py"));
  ready(story);
  story.app().run_script();
  story.frames(2);
  story.host().finish(finished(), all_was_local());
  const auto says = [&](const char* text) { return story.text_of_frame().find(text) != std::string::npos; };
  REQUIRE(story.wait_for([&] { return says("Run again and stop before main() returns"); }));
  SECTION("another script") {
    story.app().commands().push(app::command::OpenScript{folder / "loc2.py"});
    REQUIRE(story.wait_for([&] { return story.app().script().title() == "loc2.py"; }));
    story.frames(3);
    CHECK(says("loc.py was run last, not this script"));
    CHECK_FALSE(says("ended with its process"));
    CHECK_FALSE(says("Run again"));
    CHECK(says("All that main() in loc.py had was local to it"));
    story.act([](ImGuiTestContext* ui) { ui->ItemClick("//Tensors/**/###other script"); });
    REQUIRE(story.wait_for([&] { return story.app().script().title() == "loc.py"; }));
    story.frames(3);
    CHECK(says("Run again and stop before main() returns"));
    CHECK(says("The script was read from its file again since it was run"));
    CHECK(story.host().runs.size() == 1);
  }
  SECTION("the same one, saved from another editor") {
    write(folder / "loc.py", "def main(): return 1\nmain()\n");
    REQUIRE(story.wait_for([&] { return story.app().script().text.find("return 1") != std::string::npos; }));
    story.frames(3);
    CHECK(says("The script was read from its file again since it was run"));
    CHECK_FALSE(says("ended with its process"));
  }
}

TEST_CASE("a name without a folder is saved into the folder that is listed", "[window][kept]") {
  const TemporaryFolder folder;
  std::filesystem::create_directories(folder / "work");
  write(folder / "work/a.py", "x = 1\n");
  Story story;
  REQUIRE(story.app().load_script(folder / "work/a.py"));
  ready(story);
  story.app().commands().push(app::command::Ask{app::ActionId::script_save_as});
  story.frames(3);
  story.act([](ImGuiTestContext* ui) { ui->ItemInputValue("//###browser/##path", "bare name.py"); });
  REQUIRE(story.wait_for([&] { return story.app().script().title() == "bare name.py"; }));
  CHECK(story.app().script().path == (folder / "work/bare name.py"));
  CHECK(std::filesystem::exists(folder / "work/bare name.py"));
}

TEST_CASE("a window that was opened for a file offers no choice of a Python that it would not start", "[window][kept]") {
  Story story({}, false);
  story.frames(3);
  story.app().commands().push(app::command::Ask{app::ActionId::python_choose});
  story.frames(3);
  CHECK_FALSE(story.app().panels().menu.show.pythons);
  story.app().panels().menu.show.settings = true;
  story.frames(3);
  story.act([](ImGuiTestContext* ui) {
    CHECK((ui->ItemInfo("//Settings/**/Choose another …").ItemFlags & ImGuiItemFlags_Disabled) != 0);
  });
}

}  // namespace dlscope::tests
