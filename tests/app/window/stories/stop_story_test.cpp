// Stories of a stop: where the script stands, steps, frames and threads, the console, watches.
#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <utility>

#include "tests/app/window/stories/debugged_story.h"
#include "tests/app/window/stories/drawn_text.h"
#include "tests/support/temporary_folder.h"

namespace dlscope::tests {

using app::HostState;
using core::wire::ResumeKind;
using core::wire::StopReason;

TEST_CASE("a script that does not run yet is run to the line of the cursor", "[window][debug]") {
  DebuggedStory d;
  d.put_cursor(7);
  d.press(ImGuiMod_Ctrl | ImGuiKey_F10);
  REQUIRE(d.story.host().runs.size() == 1);
  CHECK(d.story.host().runs[0].stop_at == "7");
  CHECK(d.story.host().runs[0].interactive_stops);
  d.press(ImGuiMod_Ctrl | ImGuiKey_F10);  // it runs
  CHECK(d.story.host().runs.size() == 1);
  CHECK(d.story.host().resumes.empty());
}

TEST_CASE("a stop shows where the script stands, and the keys lead on", "[window][debug]") {
  DebuggedStory d;
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

TEST_CASE("the stack that appears at a stop leaves the keyboard in the editor", "[window][debug]") {
  DebuggedStory d;
  d.put_cursor(4);
  d.run();
  d.stop();
  REQUIRE(d.story.app().panels().menu.show[app::ActionContext::stack]);
  CHECK(d.panel().typing);
  d.story.act([](ImGuiTestContext* ui) { ui->KeyChars("a = 3"); });
  CHECK(app::editor_text(d.panel()).find("a = 3") != std::string::npos);
  CHECK(d.story.app().panels().stack.watches.typed.empty());
}

TEST_CASE("the console and completion see the names of the chosen frame", "[window][debug]") {
  DebuggedStory d;
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
  DebuggedStory d;
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
  REQUIRE(evaluations().size() == 3);
  d.story.host().answer(evaluations()[2], R"({"values": [{"text": "38"}, {"error": "NameError"}, {"text": "4"}]})");
  d.story.frames(3);
  CHECK(watches.stops.change("i", watches.values[0]) == "Changed since it was last evaluated in step(). It was: 37");
  CHECK(watches.stops.change("x.shape", watches.values[2]).empty());  // it was not watched there
}

TEST_CASE("a watch that is typed right after another one is whole", "[window][debug]") {
  DebuggedStory d;
  d.story.app().panels().menu.show[app::ActionContext::stack] = true;
  d.story.frames(4);
  d.story.act([](ImGuiTestContext* ui) { ui->ItemClick("//Stack/##watch"); });
  for (const char c : std::string("alpha\nbeta\n")) {
    if (c == '\n') {
      ImGui::GetIO().AddKeyEvent(ImGuiKey_Enter, true);
      ImGui::GetIO().AddKeyEvent(ImGuiKey_Enter, false);
    } else {
      ImGui::GetIO().AddInputCharacter(static_cast<unsigned>(c));
    }
    d.story.frames(1);
  }
  d.story.frames(3);
  CHECK(d.story.app().settings().watches == std::vector<std::string>{"alpha", "beta"});
}

TEST_CASE("a watch of another script says of which one, and goes when a person says so", "[window][debug]") {
  DebuggedStory d;
  d.story.app().commands().push(app::command::SetWatches{{"loss", "i"}});
  d.story.app().panels().menu.show[app::ActionContext::stack] = true;
  d.story.frames(4);
  d.run();
  d.stop();
  const auto answer = [&](const char* values) {
    const auto& all = d.story.host().questions;
    const auto asked = std::find_if(all.rbegin(), all.rend(), [](const auto& each) { return each.kind == "evaluate"; });
    REQUIRE(asked != all.rend());
    d.story.host().answer(*asked, values);
  };
  answer(R"({"values": [{"error": "NameError: name 'loss' is not defined"}, {"text": "37"}]})");
  d.story.frames(3);
  CHECK(d.story.text_of_frame().find("of other scripts") == std::string::npos);  // no script is known to have it
  d.story.app().panels().stack.watches.homes.note("/home/u/former.py", {"loss"}, {{"0.5", ""}});
  d.press(ImGuiKey_F5);
  d.stop(2);
  answer(R"({"values": [{"error": "NameError: name 'loss' is not defined"}, {"text": "38"}]})");
  d.story.frames(3);
  const std::string drawn = d.story.text_of_frame();
  CHECK(drawn.find("of former.py") != std::string::npos);
  CHECK(drawn.find("NameError") == std::string::npos);
  CHECK(d.story.app().settings().watches.size() == 2);  // kept until a person takes it off
  d.story.act([](ImGuiTestContext* ui) { ui->ItemClick("//Stack/**/###others"); });
  d.story.frames(2);
  CHECK(d.story.app().settings().watches == std::vector<std::string>{"i"});
}

TEST_CASE("the table says that it is as of the stop at every size of the window and of its text", "[window][debug]") {
  DebuggedStory d;
  d.run();
  d.stop();
  const auto says_stop = [] {
    const ImRect place = ImGui::FindWindowByName("Tensors")->InnerRect;
    std::string text = drawn_text(place.Min, place.Max);
    std::erase_if(text, [](char c) { return c == ' ' || c == '\n'; });
    return text.find("thisstop") != std::string::npos;
  };
  for (const auto& [width, height] : {std::pair(1920.0F, 1080.0F), std::pair(1280.0F, 720.0F)}) {
    for (const float scale : {1.0F, 1.5F, 2.0F}) {
      CAPTURE(width, scale);
      d.story.resize(width, height);
      d.story.app().commands().push(app::command::SetScale{scale});
      d.story.frames(12);
      d.story.act([](ImGuiTestContext* ui) { ui->WindowFocus("//Tensors"); });
      d.story.frames(3);
      CHECK(says_stop());
    }
  }
}

TEST_CASE("the marks at a stop are of what changed since the stop before it", "[window][debug]") {
  DebuggedStory d;
  d.run();
  d.stop();
  CHECK_FALSE(d.story.app().index()->marks.since_stop);
  d.press(ImGuiKey_F10);
  d.stop(2, 5, StopReason::step);
  CHECK(d.story.app().index()->marks.since_stop);
  CHECK_FALSE(d.story.app().index()->marks.any());
}

TEST_CASE("a pause that native code holds up is said to wait", "[window][debug]") {
  DebuggedStory d;
  d.run();
  d.press(ImGuiKey_F6);
  CHECK(d.story.host().pauses == 1);
  CHECK(d.session().pausing());
  bool is_said = false;
  d.story.act([&](ImGuiTestContext* ui) { is_said = ui->ItemExists("//Script/Pausing"); });
  CHECK(is_said);
  d.stop(1, 4, StopReason::pause);
  CHECK_FALSE(d.session().pausing());
}

TEST_CASE("after a byte was written at a stop, watches are evaluated anew and the editor stays where it is", "[window][debug]") {
  DebuggedStory d;
  d.story.app().commands().push(app::command::SetWatches{{"x[0]"}});
  d.story.app().panels().menu.show[app::ActionContext::stack] = true;
  d.story.frames(4);
  d.run();
  d.stop();
  const auto evaluations = [&] {
    return std::ranges::count(d.story.host().questions, "evaluate", &FakeHost::Question::kind);
  };
  REQUIRE(evaluations() == 1);
  const auto asked = *std::ranges::find(d.story.host().questions, "evaluate", &FakeHost::Question::kind);
  d.story.host().answer(asked, R"({"values": [{"text": "0.0"}]})");
  d.story.frames(3);
  REQUIRE(d.story.app().panels().stack.watches.answered);
  const std::uint64_t shown = d.panel().shown_frame;
  const core::Address address = d.story.app().index()->tensor(0).address;
  d.story.app().commands().push(app::command::WriteBytes{
      {0, app::EditKind::typed, {"x", "x[0]", address, std::vector<std::byte>(4), std::vector<std::byte>(4, std::byte{1})}}});
  d.story.frames(2);
  REQUIRE(d.story.host().work.size() == 1);
  d.story.host().events.emplace_back(
      app::HostEvent{app::HostWorkEnded{1, core::wire::WorkOutcome::done, "4 bytes of x", {}}});
  d.story.frames(2);
  REQUIRE(d.story.host().scans == 1);
  d.story.host().events.emplace_back(app::HostEvent{app::HostScanFinished{d.story.host().last_scan, {}, {}}});
  d.story.frames(3);
  CHECK(evaluations() == 2);
  CHECK_FALSE(d.story.app().panels().stack.watches.answered);
  CHECK(d.panel().shown_frame == shown);
}

TEST_CASE("another file of the stack is shown beside the script, which stays the script", "[window][debug]") {
  const TemporaryFolder folder;
  const std::string other = folder / "helper.py";
  std::ofstream(other) << "def call(f):\n    y = 1\n    return f()\n";
  DebuggedStory d;
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
  CHECK(app::editor_text(d.panel()) == kDebuggedText);
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
  DebuggedStory d;
  d.run();
  d.stop();
  d.press(ImGuiMod_Shift | ImGuiKey_F5);
  // The window has asked something that is not answered: a plain Stop would end that question instead of the script.
  REQUIRE(d.story.host().resumes.size() == 1);
  CHECK(d.story.host().resumes[0].kind == ResumeKind::end_script);
  CHECK(d.story.host().stops == 0);
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
  CHECK(d.session().stop() != nullptr);
  d.story.act([](ImGuiTestContext* ui) { ui->ItemClick("//##notices/**/Restart Python"); });
  d.story.frames(4);
  CHECK(d.session().stop() == nullptr);
  CHECK(d.story.app().moment().since == app::Since::ended);
  d.story.host().ready();
  d.story.frames(4);
  CHECK(d.session().state() == HostState::idle);
  CHECK(d.story.host().breakpoints.size() == 2);  // the new host has them too
}

TEST_CASE("what was alive when memory ran out is of that run, whatever else is on the screen", "[window][debug]") {
  DebuggedStory d;
  const auto ends = [&](core::Outcome outcome, const char* tensor) {
    d.run();
    core::RunOutcome how;
    how.outcome = outcome;
    core::wire::Stopped at;
    at.stop = 1;
    at.reason = StopReason::ended;
    at.frames = {{"step", "/home/u/train.py", 4, true}};
    auto seen = std::make_shared<core::Snapshot>(*snapshot_of({{.name = tensor, .shape = {4}}}));
    const std::uint64_t run = d.story.host().runs.back().run;
    seen->info.run = run;
    seen->info.revision = 7;  // a new process counts anew
    auto& events = d.story.host().events;
    if (outcome == core::Outcome::raised) how.error = core::ScriptError{"MemoryError", "too much", 4, "Traceback"};
    events.emplace_back(app::HostEvent{app::HostRunFinished{run, how}});
    if (outcome == core::Outcome::raised) events.emplace_back(app::HostEvent{app::HostAtStop(at)});
    events.emplace_back(app::HostEvent{app::HostSnapshot{seen, core::Scanned::end}});
    events.emplace_back(app::HostEvent{app::HostScanFinished{}});
    d.story.frames(1);
    d.story.app().finish_background_work();
    d.story.frames(4);
  };
  const app::StackPanelState& panel = d.story.app().panels().stack;
  ends(core::Outcome::finished, "earlier");
  d.story.app().commands().push(app::command::Rescan{});
  d.story.frames(2);
  auto again = std::make_shared<core::Snapshot>(*snapshot_of({{.name = "later", .shape = {4}}}));
  again->info.run = d.story.host().runs.back().run;
  again->info.revision = 8;
  d.story.host().events.emplace_back(app::HostEvent{app::HostSnapshot{again, core::Scanned::request}});
  d.story.host().events.emplace_back(app::HostEvent{app::HostScanFinished{d.story.host().last_scan, {}, {}}});
  d.story.frames(1);
  d.story.app().finish_background_work();
  d.story.app().commands().push(app::command::ShowMoment{1});
  d.story.frames(1);
  d.story.app().finish_background_work();
  d.story.frames(2);
  REQUIRE(d.story.app().moment().since == app::Since::looked_again);
  ends(core::Outcome::raised, "huge");
  CHECK(panel.alive == "Alive when memory ran out, biggest first: huge 16 B.");
  d.story.app().commands().push(app::command::ShowMoment{});
  restart(d.story.app());
  d.story.frames(2);
  d.story.host().ready();
  d.story.frames(3);
  ends(core::Outcome::raised, "other");
  CHECK(panel.alive == "Alive when memory ran out, biggest first: other 16 B.");
  CHECK(panel.alive_of == d.session().ended_run());
}

TEST_CASE("a text that was changed since it was run says so at a stop", "[window][debug]") {
  DebuggedStory d;
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
  DebuggedStory d;
  d.story.app().load_text("/home/u/other.py", kDebuggedText);
  d.story.app().commands().push(app::command::RunScript{});  // as --run does
  d.story.app().carry_out();
  CHECK(d.panel().run_revision == 0);  // nothing is known of it yet
  d.story.frames(2);
  REQUIRE_FALSE(d.story.host().runs.empty());
  CHECK(d.panel().run_revision == d.panel().revision);
  core::wire::Stopped at;
  at.stop = 1;
  at.reason = StopReason::breakpoint;
  at.frames = {{"step", "/home/u/other.py", 4, true, {}}};
  d.story.host().stop_at(std::move(at), nullptr);
  d.story.frames(4);
  CHECK(d.panel().gutter.frame_line == 4);
  d.put_cursor(1);
  d.press(ImGuiKey_Enter);
  CHECK(d.panel().run_revision != d.panel().revision);
  CHECK(d.panel().gutter.frame_line == 5);  // what is typed is followed, as where the editor had the text first
}

TEST_CASE("the frames of another thread are chosen in the stack, and the table shows that thread's names", "[window][debug]") {
  DebuggedStory d;
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

  d.story.act([](ImGuiTestContext* ui) { ui->ItemClick("//Stack/Other threads stop"); });
  d.story.frames(3);
  CHECK(d.story.host().breakpoints.back().stop_others);
  CHECK(d.story.host().breakpoints.back().user_code_only);
  d.story.act([](ImGuiTestContext* ui) { ui->ItemClick("//Stack/Just my code"); });
  d.story.frames(3);
  CHECK_FALSE(d.story.host().breakpoints.back().user_code_only);
  CHECK(d.story.app().settings().library_code);
}

}  // namespace dlscope::tests
