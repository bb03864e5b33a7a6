// Stories of debugging with a host that does what the story says: breakpoints in the gutter, a stop, steps, frames, watches.
#include <TextEditor.h>
#include <catch2/catch_test_macros.hpp>

#include <filesystem>
#include <fstream>
#include <memory>
#include <string>

#include "tests/app/files/temporary_folder.h"
#include "tests/app/window/story.h"
#include "tests/support/sample_snapshot.h"

namespace dlscope::tests {
namespace {

using app::HostState;
using core::wire::ResumeKind;
using core::wire::StopReason;

constexpr const char* kText =
    "import numpy as np\n\ndef step(i):\n    x = np.zeros(i)\n    return x\n\nfor i in range(100):\n    step(i)\n";

// A window with a script whose host is up.
class Debugging {
 public:
  explicit Debugging(app::ApplicationOptions options = {}) : story(std::move(options)) {
    story.app().load_text("/home/u/train.py", kText);
    story.host().found_python();
    story.host().ready();
    story.frames(4);
  }
  void press(ImGuiKeyChord chord) {
    story.act([=](ImGuiTestContext* ui) { ui->KeyPress(chord); });
    story.frames(2);
  }
  void put_cursor(std::size_t line) {
    panel().reveal_line = line - 1;
    story.frames(4);
    REQUIRE(panel().typing);
  }
  // The middle of the gutter beside a line.
  [[nodiscard]] ImVec2 gutter(std::size_t line) {
    const TextEditor& editor = *panel().editor;
    const ImVec2 text = editor.DocPos2ScreenPos({line - 1, 0});
    return {text.x - editor.GetGlyphWidth() * (static_cast<float>(editor.GetTextLeftMargin()) + 1),
            text.y + editor.GetLineHeight() * 0.5F};
  }
  void click_gutter(std::size_t line, ImGuiMouseButton button = ImGuiMouseButton_Left) {
    const ImVec2 at = gutter(line);
    story.act([=](ImGuiTestContext* ui) {
      ui->MouseMoveToPos(at);
      ui->MouseClick(button);
    });
    story.frames(2);
  }
  void run() {
    press(ImGuiKey_F5);
    REQUIRE_FALSE(story.host().runs.empty());
  }
  // The script stands in step(), called from the module, with a library's frames between when `deep`.
  void stop(std::uint64_t number = 1, std::uint32_t line = 4, StopReason reason = StopReason::breakpoint) {
    core::wire::Stopped at;
    at.stop = number;
    at.reason = reason;
    at.thread = "MainThread";
    at.frames = {{"step", "/home/u/train.py", line, true},
                 {"call", "/lib/io.py", 3, false},
                 {"map", "/lib/io.py", 9, false},
                 {"<module>", "/home/u/train.py", 8, true}};
    auto seen = std::make_shared<core::Snapshot>(*snapshot_of({{.name = "x", .shape = {4}}}));
    seen->info.run = story.host().runs.front().run;
    seen->info.revision = ++revision;
    seen->info.scanned = core::Scanned::stop;
    story.host().stop_at(std::move(at), std::move(seen));
    story.frames(1);
    story.app().finish_background_work();
    story.frames(8);
  }
  [[nodiscard]] const std::vector<core::wire::Breakpoint>& sent() {
    REQUIRE_FALSE(story.host().breakpoints.empty());
    return story.host().breakpoints.back().all;
  }
  app::ScriptPanelState& panel() { return story.app().panels().script; }
  const app::HostSession& session() { return story.app().host(); }

  Story story;
  std::uint64_t revision = 10;
};

}  // namespace

TEST_CASE("a click beside a line sets a breakpoint, F9 does so at the cursor, and the host is told", "[window][debug]") {
  Debugging d;
  CHECK(d.sent().empty());  // with its start
  d.click_gutter(4);
  REQUIRE(d.sent().size() == 1);
  CHECK(d.sent()[0].path == "/home/u/train.py");
  CHECK(d.sent()[0].line == 4);
  d.put_cursor(8);
  d.press(ImGuiKey_F9);
  REQUIRE(d.sent().size() == 2);
  CHECK(d.sent()[1].line == 8);
  CHECK(app::editor_text(d.panel()) == kText);  // F9 typed nothing
  d.press(ImGuiKey_F9);
  CHECK(d.sent().size() == 1);
  d.click_gutter(4);
  CHECK(d.sent().empty());
  CHECK(d.story.app().settings().breakpoints.empty());
}

TEST_CASE("a right click beside a line sets a condition, a count and a text to print", "[window][debug]") {
  Debugging d;
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
  Debugging d;
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
  CHECK(app::editor_text(d.panel()) == kText);
}

TEST_CASE("breakpoints follow the lines that are typed, taken back and brought back", "[window][debug]") {
  Debugging d;
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
    Debugging d;
    d.click_gutter(4);
    d.story.app().commands().push(app::command::SetWatches{{"x.shape"}});
    d.story.app().commands().push(app::command::Ask{app::ActionId::stop_on_raise});
    d.story.app().panels().stack.options = {.others_stand = true, .library_code = true};
    d.story.frames(4);
    CHECK(d.story.host().breakpoints.back().on_raise);
    kept = d.story.app().settings();
  }
  const auto read = app::parse_settings(app::settings_text(kept));
  REQUIRE(read.has_value());
  app::ApplicationOptions options;
  options.settings = *read;
  Debugging again(options);
  REQUIRE(again.story.host().breakpoints.size() == 1);  // once, before anything runs
  CHECK(again.sent()[0].line == 4);
  CHECK(again.story.host().breakpoints.back().on_raise);
  CHECK(again.story.host().breakpoints.back().others_stand);
  CHECK_FALSE(again.story.host().breakpoints.back().user_code_only);
  again.story.frames(4);
  CHECK(again.story.app().panels().stack.options.library_code);
  CHECK(again.story.host().breakpoints.size() == 1);
  CHECK(again.story.app().settings().watches == std::vector<std::string>{"x.shape"});
}

TEST_CASE("a stop shows where the script stands, and the keys lead on", "[window][debug]") {
  Debugging d;
  d.run();
  CHECK(d.story.host().runs[0].interactive_stops);
  CHECK_FALSE(d.story.app().panels().menu.show[app::ActionContext::stack]);
  d.stop();
  CHECK(d.session().state() == HostState::stopped);
  CHECK(d.story.app().panels().menu.show[app::ActionContext::stack]);
  CHECK(d.panel().marked_line == 4);
  CHECK(d.story.app().moment().at_stop);
  d.press(ImGuiKey_F10);
  REQUIRE(d.story.host().resumes.size() == 1);
  CHECK(d.story.host().resumes[0].kind == ResumeKind::step_over);
  CHECK(d.story.host().resumes[0].stop == 1);
  CHECK(d.session().state() == HostState::running);
  CHECK(d.panel().marked_line == 0);  // it stands there no longer
  CHECK_FALSE(d.story.app().moment().at_stop);
  CHECK(d.story.app().moment().since == app::Since::running);
  d.press(ImGuiKey_F10);
  CHECK(d.story.host().resumes.size() == 1);  // it runs
  d.stop(2, 5, StopReason::step);
  CHECK(d.panel().marked_line == 5);
  d.press(ImGuiKey_F11);
  d.stop(3, 5, StopReason::step);
  d.press(ImGuiMod_Shift | ImGuiKey_F11);
  d.stop(4, 5, StopReason::step);
  d.put_cursor(7);
  d.press(ImGuiMod_Ctrl | ImGuiKey_F10);
  d.stop(5, 7, StopReason::step);
  d.press(ImGuiKey_F5);
  const auto& resumes = d.story.host().resumes;
  REQUIRE(resumes.size() == 5);
  CHECK(resumes[1].kind == ResumeKind::step_into);
  CHECK(resumes[2].kind == ResumeKind::step_out);
  CHECK(resumes[3].kind == ResumeKind::run_to);
  CHECK(resumes[3].path == "/home/u/train.py");
  CHECK(resumes[3].line == 7);
  CHECK(resumes[4].kind == ResumeKind::go);
  CHECK(d.story.host().runs.size() == 1);  // F5 went on, it did not run anew
  d.press(ImGuiKey_F6);
  CHECK(d.story.host().pauses == 1);
  d.story.host().finish({}, nullptr);
  d.story.frames(4);
  CHECK(d.session().state() == HostState::idle);
  d.press(ImGuiKey_F5);
  CHECK(d.story.host().runs.size() == 2);
}

TEST_CASE("the console and completion see the names of the chosen frame", "[window][debug]") {
  Debugging d;
  d.run();
  d.stop();
  d.story.act([](ImGuiTestContext* ui) {
    ui->ItemClick("//Output/##input");
    ui->KeyChars("x.sh");
    ui->KeyPress(ImGuiKey_Tab);
  });
  d.story.frames(2);
  REQUIRE_FALSE(d.story.host().questions.empty());
  CHECK(d.story.host().questions.back().kind == "complete");
  CHECK(d.story.host().questions.back().text.find("\"frame\":0") != std::string::npos);
  d.story.host().answer(d.story.host().questions.back(), R"({"from": 2, "matches": [], "cut": false})");
  // The caller, by a click in the stack.
  d.story.act([](ImGuiTestContext* ui) { ui->ItemClick("//Stack/frames/$$3/###frame"); });
  d.story.frames(4);
  CHECK(d.session().stop()->frame == 3);
  CHECK(d.panel().marked_line == 8);
  d.story.act([](ImGuiTestContext* ui) {
    ui->ItemClick("//Output/##input");
    ui->KeyCharsReplace("i");
    ui->KeyPress(ImGuiKey_Enter);
  });
  d.story.frames(4);
  REQUIRE(d.story.host().runs.size() == 2);
  CHECK(d.story.host().runs[1].stop == 1);
  CHECK(d.story.host().runs[1].frame == 3);
  CHECK(d.session().state() == HostState::running);
  CHECK(d.story.app().moment().since == app::Since::running);  // it may change whatever it likes
  d.story.host().finish({}, nullptr);
  d.story.frames(4);
  CHECK(d.session().state() == HostState::stopped);
  CHECK(d.story.app().moment().since == app::Since::ran);  // and nobody has looked since
}

TEST_CASE("watches are evaluated at stops, in the chosen frame, and never while code runs", "[window][debug]") {
  Debugging d;
  d.story.app().commands().push(app::command::SetWatches{{"i", "nope"}});
  const auto evaluations = [&] {
    std::vector<FakeHost::Question> out;
    for (const auto& each : d.story.host().questions) {
      if (each.kind == "evaluate") out.push_back(each);
    }
    return out;
  };
  d.story.app().panels().menu.show[app::ActionContext::stack] = true;
  d.story.frames(4);
  d.run();
  CHECK(evaluations().empty());
  d.stop();
  REQUIRE(evaluations().size() == 1);
  CHECK(evaluations()[0].text == R"({"expressions":["i","nope"],"frame":0})");
  d.story.host().answer(evaluations()[0], R"({"values": [{"text": "37"}, {"error": "NameError: name 'nope' is not defined"}]})");
  d.story.frames(3);
  const auto& watches = d.story.app().panels().stack.watches;
  REQUIRE(watches.answered);
  CHECK(watches.values[0].text == "37");
  CHECK(watches.values[1].error.starts_with("NameError"));
  d.story.frames(5);
  CHECK(evaluations().size() == 1);  // once a stop
  d.story.app().commands().push(app::command::ChooseFrame{3});
  d.story.frames(3);
  REQUIRE(evaluations().size() == 2);
  CHECK(evaluations()[1].text.find("\"frame\":3") != std::string::npos);
  CHECK_FALSE(watches.answered);  // what was seen in the other frame is not shown for this one
  d.story.host().answer(evaluations()[1], R"({"values": [{"text": "36"}, {"error": "NameError"}]})");
  d.story.frames(3);
  CHECK(watches.values[0].text == "36");
  d.press(ImGuiKey_F5);
  d.story.frames(5);
  CHECK(evaluations().size() == 2);
  // A new one is typed and asked for at the next stop.
  d.story.act([](ImGuiTestContext* ui) {
    ui->ItemClick("//Stack/##watch");
    ui->KeyCharsReplaceEnter("x.shape");
  });
  d.story.frames(2);
  CHECK(d.story.app().settings().watches.size() == 3);
  CHECK(evaluations().size() == 2);
  d.stop(2);
  CHECK(evaluations().size() == 3);
}

TEST_CASE("another file of the stack is shown beside the script, which stays the script", "[window][debug]") {
  const app::TemporaryFolder folder;
  const std::string other = folder / "helper.py";
  std::ofstream(other) << "def call(f):\n    y = 1\n    return f()\n";
  Debugging d;
  d.run();
  core::wire::Stopped at;
  at.stop = 1;
  at.frames = {{"call", other, 3, true}, {"<module>", "/home/u/train.py", 8, true}};
  d.story.host().stop_at(at, nullptr);
  d.story.frames(2);
  d.story.app().finish_background_work();
  d.story.frames(4);
  CHECK(d.panel().source.open());
  CHECK(d.panel().source.text.find("y = 1") != std::string::npos);
  CHECK(d.panel().source.marked_line == 3);
  CHECK(d.story.app().script().path == "/home/u/train.py");
  CHECK(app::editor_text(d.panel()) == kText);
  CHECK(app::cursor_place(d.panel()).path == other);
  d.story.app().commands().push(app::command::ChooseFrame{1});
  d.story.frames(4);
  CHECK_FALSE(d.panel().source.open());
  CHECK(d.panel().marked_line == 8);
  d.story.app().commands().push(app::command::ChooseFrame{0});
  d.story.frames(4);
  CHECK(d.panel().source.open());
  d.story.act([](ImGuiTestContext* ui) { ui->ItemClick("//Script/Back to train.py"); });
  d.story.frames(4);
  CHECK_FALSE(d.panel().source.open());
}

TEST_CASE("Stop and Restart at a stop end it", "[window][debug]") {
  Debugging d;
  d.run();
  d.stop();
  d.press(ImGuiMod_Shift | ImGuiKey_F5);
  CHECK(d.story.host().stops == 1);
  CHECK(d.session().state() == HostState::stopping);
  core::RunOutcome interrupted;
  interrupted.outcome = core::Outcome::interrupted;
  d.story.host().finish(interrupted, nullptr);
  d.story.frames(4);
  CHECK(d.session().state() == HostState::idle);
  CHECK(d.panel().marked_line == 0);
  d.run();
  d.stop(2);
  d.story.act([](ImGuiTestContext* ui) { ui->ItemClick("//Script/Restart"); });
  d.story.frames(4);
  CHECK(d.session().stop() == nullptr);
  CHECK(d.story.app().moment().since == app::Since::ended);
  d.story.host().ready();
  d.story.frames(4);
  CHECK(d.session().state() == HostState::idle);
  CHECK(d.story.host().breakpoints.size() == 2);  // the new host has them too
}

TEST_CASE("a text that was changed since it was run says so at a stop", "[window][debug]") {
  Debugging d;
  d.run();
  d.put_cursor(1);
  d.press(ImGuiKey_Enter);
  CHECK(d.panel().run_revision != d.panel().revision);
  d.stop();
  d.press(ImGuiKey_F5);
  d.story.host().finish({}, nullptr);
  d.story.frames(4);
  d.run();
  CHECK(d.panel().run_revision == d.panel().revision);
}

TEST_CASE("a text that is run before the editor has it was not changed since", "[window][debug]") {
  Debugging d;
  d.story.app().load_text("/home/u/other.py", kText);
  d.story.app().commands().push(app::command::RunScript{});  // as --run does
  d.story.app().carry_out();
  CHECK(d.panel().run_revision == 0);  // nothing is known of it yet
  d.story.frames(2);
  REQUIRE_FALSE(d.story.host().runs.empty());
  CHECK(d.panel().run_revision == d.panel().revision);
  d.put_cursor(1);
  d.press(ImGuiKey_Enter);
  CHECK(d.panel().run_revision != d.panel().revision);
}

TEST_CASE("the frames of another thread are chosen in the stack, and the table shows that thread's names", "[window][debug]") {
  Debugging d;
  d.story.app().panels().menu.show[app::ActionContext::stack] = true;
  d.run();
  core::wire::Stopped at;
  at.stop = 1;
  at.reason = StopReason::breakpoint;
  at.thread = "MainThread";
  at.frames = {{"step", "/home/u/train.py", 4, true, {}},
               {"<module>", "/home/u/train.py", 8, true, {}},
               {"load", "/home/u/train.py", 5, true, "Thread \"loader-1\" was here, and runs on"},
               {"run", "/lib/threading.py", 9, false, {}},
               {"fetch", "/home/u/train.py", 6, true, "Task \"fetch-1\" waits here for Future"}};
  auto seen = std::make_shared<core::Snapshot>(*snapshot_of({{.name = "x", .shape = {4}}}));
  seen->info.run = d.story.host().runs.front().run;
  seen->info.revision = ++d.revision;
  seen->info.scanned = core::Scanned::stop;
  d.story.host().stop_at(std::move(at), std::move(seen));
  d.story.app().finish_background_work();
  d.story.frames(8);
  const auto asked = [&](const std::string& kind) {
    std::vector<std::string> out;
    for (const auto& each : d.story.host().questions) {
      if (each.kind == kind) out.push_back(each.text);
    }
    return out;
  };
  d.story.act([](ImGuiTestContext* ui) { ui->ItemClick("//Stack/frames/$$1/###frame"); });
  d.story.frames(3);
  CHECK(asked("look_from").empty());  // the same thread
  d.story.act([](ImGuiTestContext* ui) { ui->ItemClick("//Stack/frames-2/$$2/###frame"); });
  d.story.frames(3);
  CHECK(d.session().stop()->frame == 2);
  REQUIRE(asked("look_from").size() == 1);
  CHECK(asked("look_from")[0] == R"({"frame": 2})");
  CHECK(d.panel().marked_line == 5);
  for (const auto& question : std::vector(d.story.host().questions)) {
    if (question.kind == "look_from") d.story.host().answer(question, "{}");
  }
  d.story.frames(2);

  d.story.act([](ImGuiTestContext* ui) { ui->ItemClick("//Stack/Other threads stand"); });
  d.story.frames(3);
  CHECK(d.story.host().breakpoints.back().others_stand);
  CHECK(d.story.host().breakpoints.back().user_code_only);
  d.story.act([](ImGuiTestContext* ui) { ui->ItemClick("//Stack/Just my code"); });
  d.story.frames(3);
  CHECK_FALSE(d.story.host().breakpoints.back().user_code_only);
  CHECK(d.story.app().settings().library_code);
}

}  // namespace dlscope::tests
