// Stories of the script editor: finding and replacing, running a part, files that another program changes.
#include <catch2/catch_test_macros.hpp>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "core/wire/script_file.h"
#include "tests/app/window/stories/story.h"
#include "tests/support/sample_snapshot.h"
#include "tests/support/temporary_folder.h"

namespace dlscope::tests {
namespace {

namespace fs = std::filesystem;

std::string text_of(Story& story) { return app::editor_text(story.app().panels().script); }
app::ScriptPanelState& panel_of(Story& story) { return story.app().panels().script; }

// A story whose editor has the keyboard and this text, the cursor at its start.
class Editing {
 public:
  explicit Editing(const std::string& text) {
    story.app().load_text("", text);
    story.host().found_python();
    story.host().ready();
    story.frames(3);
    type();
  }
  void type() {
    panel_of(story).focus_editor = true;
    story.frames(4);
    REQUIRE(panel_of(story).typing);
  }
  void press(ImGuiKeyChord chord, int times = 1) {
    story.act([=](ImGuiTestContext* ui) { ui->KeyPress(chord, times); });
  }
  void write(const char* text) {
    story.act([=](ImGuiTestContext* ui) { ui->KeyChars(text); });
  }
  // Ctrl+S, and what it does in the background.
  void save() {
    press(ImGuiMod_Ctrl | ImGuiKey_S);
    story.app().finish_background_work();
  }
  [[nodiscard]] bool searched() {
    return story.wait_for(
        [&] { return !panel_of(story).find.waiting && panel_of(story).find.found_revision == panel_of(story).revision; });
  }
  Story story;
};

class ScriptFile {
 public:
  explicit ScriptFile(const std::string& bytes) { write(bytes); }
  [[nodiscard]] std::string path() const { return folder_ / "s.py"; }
  void write(const std::string& bytes) const { std::ofstream(path(), std::ios::binary) << bytes; }
  void remove() const { fs::remove(path()); }
  [[nodiscard]] std::string bytes() const {
    std::ifstream in(path(), std::ios::binary);
    std::stringstream out;
    out << in.rdbuf();
    return out.str();
  }

 private:
  TemporaryFolder folder_;
};

}  // namespace

TEST_CASE("Characters behind the last of the editor's wide ones stay what was typed", "[window][editor]") {
  // U+FFFD and U+3FFFE come after every entry of its two tables: under asan, reading past either is a report (cmake/imgui.cmake).
  Editing e("x = ''\n");
  e.press(ImGuiKey_End);
  e.write("\xef\xbf\xbd\xf0\xbf\xbf\xbe\xef\xbf\xa6");
  e.story.frames(3);
  CHECK(text_of(e.story) == "x = ''\xef\xbf\xbd\xf0\xbf\xbf\xbe\xef\xbf\xa6\n");
}

TEST_CASE("Ctrl+F finds while typing, F3 goes on, Escape gives the keyboard back", "[window][editor]") {
  Editing e("alpha\nbeta alpha\nAlpha\n");
  e.press(ImGuiMod_Ctrl | ImGuiKey_F);
  e.write("alpha");
  REQUIRE(e.searched());
  e.story.frames(2);
  CHECK(panel_of(e.story).find.found.matches.size() == 3);
  CHECK(app::cursor_line(panel_of(e.story)) == 0);
  CHECK(app::selected_text(panel_of(e.story)) == "alpha");
  e.press(ImGuiKey_Enter);
  CHECK(app::cursor_line(panel_of(e.story)) == 1);
  e.press(ImGuiKey_F3, 2);
  CHECK(app::cursor_line(panel_of(e.story)) == 0);  // around the end
  e.press(ImGuiMod_Shift | ImGuiKey_F3);
  CHECK(app::cursor_line(panel_of(e.story)) == 2);
  e.press(ImGuiKey_Escape);
  e.story.frames(3);
  CHECK_FALSE(panel_of(e.story).find.finding());
  CHECK(panel_of(e.story).typing);
  e.write("X");
  CHECK(text_of(e.story) == "alpha\nbeta alpha\nX\n");
}

TEST_CASE("replacing all is one step of Undo, and only what matches is touched", "[window][editor]") {
  const std::string before = "x = 1\ny = x\n\tz = xx\n";
  Editing e(before);
  e.press(ImGuiMod_Ctrl | ImGuiKey_H);
  e.write("x");
  REQUIRE(e.searched());
  auto& find = panel_of(e.story).find;
  find.query.whole_word = true;
  e.story.frames(2);
  REQUIRE(e.searched());
  CHECK(find.found.matches.size() == 2);
  find.replacement = "long";
  e.story.act([](ImGuiTestContext* ui) { ui->ItemClick("//Script/find bar/Replace all"); });
  REQUIRE(e.story.wait_for([&] { return text_of(e.story) == "long = 1\ny = long\n\tz = xx\n"; }));
  CHECK(find.said.starts_with("2 replaced"));
  e.press(ImGuiKey_Escape);
  e.type();
  e.press(ImGuiMod_Ctrl | ImGuiKey_Z);
  CHECK(text_of(e.story) == before);
}

TEST_CASE("Alt with an arrow moves the line in the editor and selects no tensor", "[window][editor]") {
  Editing e("a = 1\nb = 2\nc = 3\n");
  e.story.show(snapshot_of({{.name = "x", .shape = {2}}, {.name = "y", .shape = {3}}}));
  e.type();
  const std::uint32_t selected = e.story.app().selected();
  e.press(ImGuiMod_Alt | ImGuiKey_DownArrow);
  CHECK(text_of(e.story) == "b = 2\na = 1\nc = 3\n");
  e.press(ImGuiMod_Alt | ImGuiKey_DownArrow);
  CHECK(text_of(e.story) == "b = 2\nc = 3\na = 1\n");
  e.press(ImGuiMod_Alt | ImGuiKey_UpArrow);
  CHECK(text_of(e.story) == "b = 2\na = 1\nc = 3\n");
  CHECK(e.story.app().selected() == selected);
  e.press(ImGuiMod_Ctrl | ImGuiKey_Z, 3);
  CHECK(text_of(e.story) == "a = 1\nb = 2\nc = 3\n");
}

TEST_CASE("Ctrl+Enter runs the statement at the cursor or the selection, under its own line numbers", "[window][editor]") {
  Editing e("a = 1\n\nfor i in range(2):\n    b = (i,\n         a)\n\nc = 3\n");
  e.press(ImGuiKey_DownArrow, 2);
  e.press(ImGuiMod_Ctrl | ImGuiKey_Enter);
  REQUIRE(e.story.host().runs.size() == 1);
  CHECK(e.story.host().runs[0].source == "\n\nfor i in range(2):\n    b = (i,\n         a)");
  CHECK_FALSE(e.story.host().runs[0].fresh_namespace);
  CHECK(e.story.host().runs[0].path == core::wire::kUnsavedScriptFile);  // a part of the script, not a line of the console
  core::RunOutcome raised;
  raised.outcome = core::Outcome::raised;
  raised.error = core::ScriptError{"NameError", "a", 4, ""};
  e.story.host().finish(raised, nullptr);
  e.story.frames(3);
  REQUIRE(panel_of(e.story).mark.has_value());
  CHECK(panel_of(e.story).mark->line == 4);
  // Inside the block: the inner statement, dedented.
  e.type();
  e.press(ImGuiKey_DownArrow, 2);
  e.press(ImGuiMod_Ctrl | ImGuiKey_Enter);
  REQUIRE(e.story.host().runs.size() == 2);
  CHECK(e.story.host().runs[1].source == "\n\n\nb = (i,\n     a)");
  e.story.host().finish({}, nullptr);
  e.story.frames(3);
  // On an empty line there is nothing, and that is said.
  e.type();
  e.press(ImGuiKey_DownArrow);
  e.press(ImGuiMod_Ctrl | ImGuiKey_Enter);
  CHECK(e.story.host().runs.size() == 2);
  CHECK_FALSE(panel_of(e.story).said.empty());
  CHECK(text_of(e.story).size() == 57);  // and no line was put in
}

TEST_CASE("comments, indentation and going to a line work as people expect", "[window][editor]") {
  Editing e("if a:\n    b\n");
  e.press(ImGuiMod_Ctrl | ImGuiKey_A);
  e.press(ImGuiMod_Ctrl | ImGuiKey_Slash);
  CHECK(text_of(e.story) == "# if a:\n#     b\n");
  e.press(ImGuiMod_Ctrl | ImGuiKey_Slash);
  CHECK(text_of(e.story) == "if a:\n    b\n");
  e.press(ImGuiMod_Ctrl | ImGuiKey_G);
  e.write("2");
  e.press(ImGuiKey_Enter);
  e.story.frames(3);
  CHECK(app::cursor_line(panel_of(e.story)) == 1);
  CHECK(panel_of(e.story).typing);
  e.press(ImGuiKey_UpArrow);
  e.press(ImGuiKey_End);
  e.press(ImGuiKey_Enter);
  e.write("c");
  CHECK(text_of(e.story) == "if a:\n    c\n    b\n");
  e.press(ImGuiKey_Enter);
  e.press(ImGuiKey_Backspace);
  e.write("d");
  CHECK(text_of(e.story) == "if a:\n    c\nd\n    b\n");
  e.press(ImGuiKey_Tab);
  CHECK(text_of(e.story).find('\t') == std::string::npos);
}

TEST_CASE("a file that changed on disk is taken over, with the cursor where it was", "[window][editor]") {
  const ScriptFile file("one\r\ntwo\r\nthree\r\n");
  Editing e("");
  REQUIRE(e.story.app().load_script(file.path()).has_value());
  e.story.frames(3);
  e.type();
  e.press(ImGuiKey_DownArrow, 2);
  CHECK(app::cursor_line(panel_of(e.story)) == 2);
  e.press(ImGuiKey_F9);  // a breakpoint there, which goes with its line
  file.write("zero\r\none\r\ntwo\r\nthree\r\n");
  REQUIRE(e.story.wait_for([&] { return text_of(e.story) == "zero\none\ntwo\nthree\n"; }));
  CHECK(app::cursor_line(panel_of(e.story)) == 3);
  CHECK_FALSE(e.story.app().script().modified);
  CHECK(e.story.app().script().said.find("Reloaded") != std::string::npos);
  e.story.frames(3);
  REQUIRE(e.story.app().settings().breakpoints.size() == 1);
  CHECK(e.story.app().settings().breakpoints[0].line == 4);
  CHECK(e.story.app().settings().breakpoints[0].line_text == "three");
  e.press(ImGuiKey_F9);
  // Saving gives back the line ends it had.
  e.type();
  e.write("x");
  e.save();
  CHECK(file.bytes() == "zero\r\none\r\ntwo\r\nxthree\r\n");
}

TEST_CASE("neither text is lost when both sides changed", "[window][editor]") {
  const ScriptFile file("one\n");
  Editing e("");
  REQUIRE(e.story.app().load_script(file.path()).has_value());
  e.story.frames(3);
  e.type();
  e.write("mine ");
  file.write("theirs\n");
  e.save();  // at once, before anybody told
  CHECK(file.bytes() == "theirs\n");
  CHECK(e.story.app().script().on_disk == app::OnDisk::changed);
  CHECK(text_of(e.story) == "mine one\n");
  e.story.act([](ImGuiTestContext* ui) { ui->ItemClick("//Script/Reload"); });
  e.story.frames(2);
  CHECK(text_of(e.story) == "theirs\n");
  e.type();
  e.press(ImGuiMod_Ctrl | ImGuiKey_Z);
  CHECK(text_of(e.story) == "mine one\n");
  CHECK(e.story.app().script().modified);

  file.write("theirs again\n");
  REQUIRE(e.story.wait_for([&] { return e.story.app().script().on_disk == app::OnDisk::changed; }));
  CHECK(text_of(e.story) == "mine one\n");
  e.story.frames(2);
  e.story.act([](ImGuiTestContext* ui) {
    ui->ItemClick("//Script/Keep mine");
    ui->KeyPress(ImGuiMod_Ctrl | ImGuiKey_S);
  });
  e.story.app().finish_background_work();
  CHECK(file.bytes() == "mine one\n");
  CHECK_FALSE(e.story.app().script().modified);

  file.remove();
  REQUIRE(e.story.wait_for([&] { return e.story.app().script().on_disk == app::OnDisk::gone; }));
  CHECK(text_of(e.story) == "mine one\n");
  e.save();
  CHECK(file.bytes() == "mine one\n");
}

TEST_CASE("tabs and characters beyond the usual planes stay what they are", "[window][editor]") {
  const std::string bytes = "\xEF\xBB\xBFif a:\n\tb = '\t\xF0\x9F\x98\x80'\n";
  const ScriptFile file(bytes);
  Editing e("");
  REQUIRE(e.story.app().load_script(file.path()).has_value());
  e.story.frames(3);
  e.type();
  e.write("q");
  e.press(ImGuiMod_Ctrl | ImGuiKey_Z);
  e.save();
  CHECK(file.bytes() == bytes);
  file.write("caf\xE9\n");
  REQUIRE(e.story.wait_for([&] { return !e.story.app().notices().all().empty(); }));
  CHECK(text_of(e.story) == bytes.substr(3));
}

TEST_CASE("Kill and Restart keep the text, the find bar and what was typed", "[window][editor]") {
  Editing e("x = 1\n");
  e.write("y");
  e.story.app().panels().output.console.python.text = "half a li";
  e.story.app().panels().output.console.python.history.add("x + 1");
  e.story.host().events.emplace_back(app::HostEvent{app::HostEnded{{}, 9, {}}});
  e.story.frames(3);
  CHECK(e.story.app().host().state() == app::HostState::ended);
  e.story.act([](ImGuiTestContext* ui) { ui->ItemClick("//Script/Restart"); });
  e.story.host().ready();
  e.story.frames(3);
  CHECK(e.story.app().host().state() == app::HostState::idle);
  CHECK(text_of(e.story) == "yx = 1\n");
  CHECK(e.story.app().panels().output.console.python.text == "half a li");
  CHECK(e.story.app().panels().output.console.python.history.entries().back() == "x + 1");
}

}  // namespace dlscope::tests
