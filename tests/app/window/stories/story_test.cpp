// Whole-window stories: the real panels, a fake host, a simulated mouse and keyboard.
#include "tests/app/window/stories/story.h"

#include <catch2/catch_test_macros.hpp>

#include <string>

#include "tests/support/sample_snapshot.h"

namespace dlscope::tests {
namespace {

core::RunOutcome outcome(core::Outcome kind) {
  core::RunOutcome out;
  out.outcome = kind;
  return out;
}

std::string name_of(app::Application& app, std::uint32_t id) {
  return id == core::kNone32 ? std::string("nothing") : std::string(app.index()->snapshot->name(app.index()->tensor(id)));
}

}  // namespace

TEST_CASE("the first frames come before there is any Python", "[window]") {
  Story story;
  story.frames(3);
  CHECK(story.host().starts == 1);
  CHECK(story.app().host().state() == app::HostState::finding);
  CHECK(story.vertices() > 100);
  story.host().found_python();
  story.frames(1);
  CHECK(story.app().host().python() == "Python 3.11.7 · .venv");
  story.host().ready();
  story.frames(1);
  CHECK(story.app().host().state() == app::HostState::idle);
}

TEST_CASE("a click on Run runs the editor's text, and its tensors come up", "[window]") {
  Story story;
  story.app().load_text("tour.py", tour_script());
  story.host().found_python();
  story.host().ready();
  story.frames(3);
  story.act([](ImGuiTestContext* ui) { ui->ItemClick("//Script/▶ Run"); });
  REQUIRE(story.host().runs.size() == 1);
  CHECK(story.host().runs[0].source == tour_script());
  CHECK(story.host().runs[0].path == "tour.py");
  CHECK(story.host().runs[0].fresh_namespace);
  CHECK(story.app().host().state() == app::HostState::running);
  story.host().finish(outcome(core::Outcome::finished), tour_snapshot());
  story.frames(1);
  story.app().finish_background_work();
  story.frames(3);
  CHECK(story.app().host().state() == app::HostState::idle);
  REQUIRE(story.app().index() != nullptr);
  CHECK(story.app().tensors().row_count() == 11);
  CHECK(story.app().panels().tensors.rows_drawn == 11);
}

TEST_CASE("a run asked for before Python is ready starts when it is", "[window]") {
  Story story;
  story.app().load_text("", "x = 1\n");
  story.frames(2);
  story.act([](ImGuiTestContext* ui) { ui->KeyPress(ImGuiKey_F5); });
  CHECK(story.host().runs.empty());
  story.host().found_python();
  story.host().ready();
  story.frames(2);
  REQUIRE(story.host().runs.size() == 1);
  CHECK(story.host().runs[0].source == "x = 1\n");
}

TEST_CASE("an endless script is stopped, insisted on, killed, and Python restarts", "[window]") {
  Story story;
  story.app().load_text("", "while True: pass\n");
  story.host().found_python();
  story.host().ready();
  story.frames(3);
  story.act([](ImGuiTestContext* ui) {
    ui->KeyPress(ImGuiKey_F5);
    ui->Yield(2);
    ui->KeyPress(ImGuiMod_Shift | ImGuiKey_F5);
    ui->ItemClick("//Script/■ Stop");
  });
  CHECK(story.host().stops == 2);
  CHECK(story.app().host().state() == app::HostState::stopping);
  story.act([](ImGuiTestContext* ui) { ui->ItemClick("//Script/Kill"); });
  CHECK(story.host().kills == 1);
  story.frames(2);
  CHECK(story.app().host().state() == app::HostState::ended);
  CHECK_FALSE(story.app().notices().all().empty());
  story.act([](ImGuiTestContext* ui) { ui->ItemClick("//Script/Restart"); });
  CHECK(story.host().starts == 2);
  story.host().ready();
  story.frames(2);
  CHECK(story.app().host().state() == app::HostState::idle);
}

TEST_CASE("Kill says what is lost before it kills, unless Stop was tried", "[window]") {
  Story story;
  story.app().load_text("", "x = 1\n");
  story.host().found_python();
  story.host().ready();
  story.frames(2);
  story.show(tour_snapshot());
  story.act([](ImGuiTestContext* ui) { ui->ItemClick("//Script/Kill"); });
  CHECK(story.host().kills == 0);
  REQUIRE(story.app().notices().all().size() == 1);
  CHECK(story.app().notices().all()[0].text.find("11 tensors and all variables are lost") != std::string::npos);
  story.act([](ImGuiTestContext* ui) { ui->ItemClick("//##notices/**/Kill Python"); });
  CHECK(story.host().kills == 1);
}

TEST_CASE("a crash keeps the text, the tensors and the selection", "[window]") {
  Story story;
  story.app().load_text("", "import os\n");
  story.host().found_python();
  story.host().ready();
  story.frames(2);
  story.show(tour_snapshot());
  story.app().select("t");
  story.host().events.emplace_back(app::HostEvent{app::HostCrashed{11, 0, "libc.so.6", "Fatal Python error"}});
  story.host().events.emplace_back(app::HostEvent{app::HostEnded{{}, 11, {}}});
  story.frames(3);
  CHECK(story.app().host().state() == app::HostState::crashed);
  CHECK(story.app().host().detail().find("SIGSEGV in libc.so.6") != std::string::npos);
  CHECK(story.app().tensors().row_count() == 11);
  CHECK(name_of(story.app(), story.app().selected()) == "t");
  CHECK(app::editor_text(story.app().panels().script) == "import os\n");
  // Run starts a new Python by itself, and runs when it is up.
  const int starts = story.host().starts;
  story.act([](ImGuiTestContext* ui) { ui->KeyPress(ImGuiKey_F5); });
  CHECK(story.host().starts == starts + 1);
  CHECK(story.host().runs.empty());
  story.host().ready();
  story.frames(2);
  CHECK(story.host().runs.size() == 1);
}

TEST_CASE("typing in the filter narrows the table, Escape clears it", "[window]") {
  Story story;
  story.frames(2);
  story.show(tour_snapshot());
  story.act([](ImGuiTestContext* ui) {
    ui->ItemClick("//Tensors/##filter");
    ui->KeyCharsReplace("torch");
  });
  REQUIRE(story.wait_for([&] { return story.app().tensors().row_count() == 3; }));
  story.act([](ImGuiTestContext* ui) { ui->KeyPress(ImGuiKey_Escape); });
  CHECK(story.wait_for([&] { return story.app().tensors().row_count() == 11; }));
}

TEST_CASE("a click on a header sorts, another turns it round", "[window]") {
  Story story;
  story.frames(2);
  story.show(tour_snapshot());
  const auto first = [&] { return name_of(story.app(), story.app().tensors().tensor_at(0)); };
  CHECK(first() == "x");
  story.act([](ImGuiTestContext* ui) { ui->TableClickHeader("//Tensors/tensors", "Bytes"); });
  CHECK(story.wait_for([&] { return first() == "y" || first() == "x"; }));
  story.act([](ImGuiTestContext* ui) { ui->TableClickHeader("//Tensors/tensors", "Bytes"); });
  CHECK(story.wait_for([&] { return first() == "grad" || first() == "weights"; }));
}

TEST_CASE("arrow keys walk through the table and the inspector follows", "[window]") {
  Story story;
  story.frames(2);
  story.show(tour_snapshot());
  CHECK(name_of(story.app(), story.app().selected()) == "x");  // nobody chose: the first that shares
  story.act([](ImGuiTestContext* ui) {
    ui->WindowFocus("//Tensors");
    ui->KeyPress(ImGuiKey_DownArrow);
  });
  CHECK(name_of(story.app(), story.app().selected()) == "y");
  story.act([](ImGuiTestContext* ui) { ui->KeyPress(ImGuiKey_End); });
  CHECK(name_of(story.app(), story.app().selected()) == "grad");
  story.app().commands().push(app::command::CompareTensor{0});
  story.frames(2);
  CHECK(story.app().compared() == 0);
  story.act([](ImGuiTestContext* ui) { ui->KeyPress(ImGuiKey_Escape); });
  CHECK(story.app().compared() == core::kNone32);  // one thing at a time
  story.act([](ImGuiTestContext* ui) { ui->KeyPress(ImGuiKey_Escape); });
  CHECK(name_of(story.app(), story.app().selected()) == "grad");  // or three views would be empty
}

TEST_CASE("a click in the memory map selects, and hovering lights the element everywhere", "[window]") {
  Story story;
  story.frames(2);
  story.show(tour_snapshot());
  story.act([](ImGuiTestContext* ui) {
    ImGuiTestItemInfo lane = ui->ItemInfo("//Memory/$$1/lane");
    IM_CHECK(lane.ID != 0);
    const ImVec2 corner = lane.RectFull.Min;
    ui->MouseMoveToPos({corner.x + 20, corner.y + 10});
    ui->Yield(2);
    ui->MouseClick();
    ui->Yield(2);
  });
  CHECK(name_of(story.app(), story.app().selected()) == "x");
}

TEST_CASE("the selection is kept by name from run to run", "[window]") {
  Story story;
  story.frames(2);
  story.show(tour_snapshot());
  story.app().select("t");
  CHECK(story.app().selected() == 2);
  story.show(snapshot_of({{.name = "a", .shape = {2}}, {.name = "t", .shape = {3}}}, 2));
  CHECK(story.app().selected() == 1);
  story.show(snapshot_of({{.name = "a", .shape = {2}}}, 3));
  CHECK(story.app().selected() == core::kNone32);
  story.show(tour_snapshot());
  CHECK(name_of(story.app(), story.app().selected()) == "t");
}

TEST_CASE("a line sent to the script arrives with its newline", "[window]") {
  Story story;
  story.app().load_text("", "name = input()\n");
  story.host().found_python();
  story.host().ready();
  story.frames(3);
  story.app().run_script();
  story.frames(2);
  story.act([](ImGuiTestContext* ui) {
    ui->ItemClick("//Output/##reply");
    ui->KeyCharsReplaceEnter("hello");
  });
  REQUIRE(story.host().inputs.size() == 1);
  CHECK(story.host().inputs[0] == "hello\n");
}

TEST_CASE("a line typed while nothing runs is Python in the names the script left", "[window]") {
  Story story;
  story.host().found_python();
  story.host().ready();
  story.frames(3);
  story.act([](ImGuiTestContext* ui) {
    ui->ItemClick("//Output/##input");
    ui->KeyCharsReplace("x.T");
    ui->KeyPress(ImGuiKey_Enter);
  });
  REQUIRE(story.host().runs.size() == 1);
  CHECK(story.host().runs[0].source == "x.T");
  CHECK_FALSE(story.host().runs[0].fresh_namespace);
  CHECK(story.host().runs[0].echo);
  CHECK(story.app().output().all_text().find(">>> x.T") != std::string::npos);
}

TEST_CASE("opening another script puts changed text aside, and gives it back", "[window]") {
  Story story;
  story.app().load_text("", "");
  story.frames(3);
  story.act([](ImGuiTestContext* ui) {
    ui->WindowFocus(ui->WindowInfo("//Script/##editor").ID);
    ui->KeyChars("precious = 1");
  });
  REQUIRE(app::editor_text(story.app().panels().script).find("precious = 1") != std::string::npos);
  CHECK(story.app().script().modified);
  story.app().commands().push(app::command::NewScript{});
  story.frames(3);
  CHECK(app::editor_text(story.app().panels().script).empty());
  REQUIRE(story.app().notices().all().size() == 1);
  story.act([](ImGuiTestContext* ui) { ui->ItemClick("//##notices/**/Restore"); });
  story.app().finish_background_work();  // it looks at the disk
  story.frames(2);
  CHECK(app::editor_text(story.app().panels().script).find("precious = 1") != std::string::npos);
  CHECK(story.app().script().modified);
}

TEST_CASE("an error marks its line and says so above the text", "[window]") {
  Story story;
  story.app().load_text("", "a = 1\nb = 1 / 0\n");
  story.host().found_python();
  story.host().ready();
  story.frames(3);
  story.app().run_script();
  core::RunOutcome raised = outcome(core::Outcome::raised);
  raised.error = core::ScriptError{"ZeroDivisionError", "division by zero", 2, "Traceback"};
  story.host().finish(raised, empty_snapshot());
  story.frames(3);
  REQUIRE(story.app().panels().script.mark.has_value());
  CHECK(story.app().panels().script.mark->line == 2);
  CHECK(story.app().output().all_text().find("Raised ZeroDivisionError in line 2") != std::string::npos);
  // Editing and running again takes the mark away.
  story.app().run_script();
  story.frames(2);
  CHECK_FALSE(story.app().panels().script.mark.has_value());
}

TEST_CASE("an error of a script marks nothing in another one that was opened meanwhile", "[window]") {
  Story story;
  const char* const text = "a = 1\nb = 2\nc = 1 / 0\n";
  story.app().load_text("/of/a.py", text);
  story.host().found_python();
  story.host().ready();
  story.frames(3);
  core::RunOutcome raised = outcome(core::Outcome::raised);
  raised.error = core::ScriptError{"ZeroDivisionError", "division by zero", 3, "Traceback"};
  story.app().run_script();
  story.frames(2);
  story.app().load_text("/of/b.py", text);
  story.frames(2);
  story.host().finish(raised, empty_snapshot());
  story.frames(3);
  CHECK(story.app().outcome().outcome == core::Outcome::raised);
  CHECK_FALSE(story.app().panels().script.mark.has_value());
  // Back in the script that ran, the mark is where it belongs.
  story.app().load_text("/of/a.py", text);
  story.frames(2);
  story.app().run_script();
  story.frames(2);
  story.app().load_text("/of/b.py", text);
  story.frames(2);
  story.app().load_text("/of/a.py", text);
  story.frames(2);
  story.host().finish(raised, empty_snapshot());
  story.frames(3);
  REQUIRE(story.app().panels().script.mark.has_value());
  CHECK(story.app().panels().script.mark->line == 3);
}

TEST_CASE("scale, theme and layouts change live, in a menu or by key", "[window]") {
  Story story;
  story.frames(2);
  story.show(tour_snapshot());
  story.act([](ImGuiTestContext* ui) {
    ui->KeyPress(ImGuiMod_Ctrl | ImGuiKey_Equal);
    ui->KeyPress(ImGuiMod_Ctrl | ImGuiKey_Equal);
  });
  CHECK(story.app().scale() == 1.5F);
  story.act([](ImGuiTestContext* ui) { ui->KeyPress(ImGuiMod_Ctrl | ImGuiKey_0); });
  CHECK(story.app().scale() == 1.0F);
  story.act([](ImGuiTestContext* ui) {
    ui->SetRef("##MainMenuBar");
    ui->MenuClick("View/Light");
  });
  CHECK(story.app().theme() == app::ThemeChoice::light);
  for (const ImGuiKey key : {ImGuiKey_2, ImGuiKey_3, ImGuiKey_1}) {
    story.act([key](ImGuiTestContext* ui) {
      ui->KeyPress(ImGuiMod_Ctrl | key);
      ui->Yield(4);
    });
    CHECK(story.app().panels().tensors.rows_drawn > 0);
    CHECK(story.app().panels().memory.bars_drawn > 0);
  }
}

TEST_CASE("what a frame costs does not grow with the number of tensors", "[window]") {
  Story story;
  story.frames(2);
  story.show(many_snapshot(1'000));
  const int few = story.vertices();
  story.show(many_snapshot(100'000));
  CHECK(story.app().tensors().row_count() == 100'000);
  CHECK(story.vertices() < few * 2);
  CHECK(story.vertices() < 60'000);
  CHECK(story.app().panels().tensors.rows_drawn < 100);
  CHECK(story.app().panels().memory.bars_drawn < 1'000);
  // To the last row, exactly.
  story.act([](ImGuiTestContext* ui) {
    ui->WindowFocus("//Tensors");
    ui->KeyPress(ImGuiKey_End);
    ui->Yield(3);
  });
  CHECK(name_of(story.app(), story.app().selected()) == "data[99999]");
  CHECK(story.app().panels().tensors.rows_drawn < 100);
}

TEST_CASE("panels draw nothing, one, and broken tensors, each of them selected", "[window]") {
  Story story({}, false);
  story.frames(3);
  for (const auto& snapshot : {empty_snapshot(), scalar_snapshot(), broken_snapshot(), tour_snapshot()}) {
    story.show(snapshot);
    for (std::uint32_t id = 0; id < snapshot->tensors.size(); ++id) {
      story.app().commands().push(app::command::SelectTensor{id});
      story.frames(3);
      CHECK(story.app().selected() == id);
    }
  }
}

TEST_CASE("a flood of output is digested a little per frame", "[window]") {
  Story story;
  story.host().found_python();
  story.host().ready();
  story.frames(2);
  std::string flood;
  for (int i = 0; i < 200'000; ++i) flood += "line " + std::to_string(i) + "\n";
  story.host().events.emplace_back(app::HostEvent{app::HostOutput{flood}});
  CHECK(story.wait_for([&] { return !story.app().update(); }));
  story.frames(2);
  CHECK(story.app().panels().output.lines_drawn < 100);
  CHECK(story.app().output().line(story.app().output().size() - 2).text == "line 199999");
}

TEST_CASE("no Python at all is said, and the rest of the window works", "[window]") {
  Story story;
  story.host().events.emplace_back(app::HostNotStarted{"No Python was found. Install python3 or name one with --python."});
  story.frames(3);
  CHECK(story.app().host().state() == app::HostState::failed);
  CHECK(story.app().notices().all().front().text.find("--python") != std::string::npos);
  story.act([](ImGuiTestContext* ui) { ui->KeyPress(ImGuiKey_F1); });
  CHECK(story.app().panels().help.open);
}

}  // namespace dlscope::tests
