// Stories of the console: history, many lines, completion, links, Stop.
#include <catch2/catch_test_macros.hpp>

#include <imgui_internal.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "tests/app/window/stories/drawn_text.h"
#include "tests/app/window/stories/story_windows.h"

namespace dlscope::tests {
namespace {

class Console {
 public:
  Console() {
    story.host().found_python();
    story.host().ready();
    story.frames(4);
    click();
  }
  void click() {
    const char* field = story.app().host().busy() ? "//Output/##reply" : "//Output/##input";
    story.act([=](ImGuiTestContext* ui) { ui->ItemClick(field); });
    story.frames(2);
  }
  void write(const char* text) {
    story.act([=](ImGuiTestContext* ui) {
      ui->KeyChars(text);
      ui->Yield(2);
    });
  }
  void press(ImGuiKeyChord chord, int times = 1) {
    story.act([=](ImGuiTestContext* ui) {
      ui->KeyPress(chord, times);
      ui->Yield(2);
    });
    story.frames(2);
  }
  // What Python answers to the newest question.
  void answer(const std::string& text) {
    REQUIRE_FALSE(story.host().questions.empty());
    const auto& asked = story.host().questions.back();
    story.host().events.emplace_back(app::HostEvent{app::HostAnswer{{asked.id, asked.kind, text, ""}}});
    story.frames(4);
  }
  void finish() {
    story.host().finish({}, nullptr);
    story.frames(4);
  }
  // A key in every frame, as a quick typist's come in a slow window.
  void type_fast(const std::string& text) {
    for (const char c : text) {
      if (c == '\n') {
        ImGui::GetIO().AddKeyEvent(ImGuiKey_Enter, true);
        ImGui::GetIO().AddKeyEvent(ImGuiKey_Enter, false);
      } else {
        ImGui::GetIO().AddInputCharacter(static_cast<unsigned>(c));
      }
      story.frames(1);
    }
    story.frames(2);
  }
  void wait_a_blink() { story.frames(45); }
  app::PythonInput& state() { return story.app().panels().output.console.python; }
  Story story;
};

// A host in which a script runs.
app::HostSession running() {
  app::HostSession session;
  static_cast<void>(session.apply(app::session_event::StartAsked{}));
  static_cast<void>(session.apply(app::session_event::Ready{"3.12.1", 1}));
  static_cast<void>(session.apply(app::session_event::RunAsked{}));
  static_cast<void>(session.apply(app::session_event::RunStarted{1}));
  return session;
}
app::HostSession waiting(bool echoes) {
  app::HostSession session = running();
  static_cast<void>(session.apply(app::session_event::InputWatched{.waits_for_line = true, .echoes = echoes}));
  return session;
}
app::HostSession ended() {
  app::HostSession session = running();
  static_cast<void>(session.apply(app::session_event::RunFinished{1, finished()}));
  return session;
}

// A window of which a story says what its host does.
struct ToldWindow {
  Story story{{}, false};

  ToldWindow() { story.frames(4); }
  void tell(const app::HostSession& session) {
    story.app().show_host(session);
    story.frames(6);
  }
  void type(const char* text) {
    story.act([=](ImGuiTestContext* ui) { ui->KeyChars(text); });
    story.frames(2);
  }
  app::ConsoleInputState& console() { return story.app().panels().output.console; }
};

}  // namespace

TEST_CASE("half a password is not kept when nobody waits for it any more", "[window][console]") {
  ToldWindow window;
  window.tell(waiting(false));
  window.type("hal");
  REQUIRE(window.console().reply.text == "hal");
  SECTION("the run ends") {
    window.tell(ended());
    CHECK(window.console().reply.text.empty());
    window.tell(waiting(true));
    CHECK(window.console().reply.text.empty());
  }
  SECTION("the script waits for a line that is shown") { window.tell(waiting(true)); }
  SECTION("the script runs on, and waits again") {
    window.tell(running());
    CHECK(window.console().reply.text.empty());
    window.tell(waiting(true));
  }
  SECTION("behind another tab") {
    window.story.act([](ImGuiTestContext* ui) { ui->WindowFocus("//Log"); });
    window.tell(running());
    CHECK(window.console().reply.text.empty());
    window.tell(waiting(true));
  }
  window.story.frames(70);  // more than a second: nothing is being typed any more
  window.type("ann");
  CHECK(window.console().reply.text == "ann");
}

TEST_CASE("what is typed before the script waits for it stays", "[window][console]") {
  ToldWindow window;
  window.tell(waiting(true));
  window.type("an");
  window.tell(running());
  CHECK(window.console().reply.text == "an");
  window.tell(waiting(true));
  window.type("n");
  CHECK(window.console().reply.text == "ann");
}

TEST_CASE("a script that asks while something is typed elsewhere gets the keyboard when that is over", "[window][console]") {
  ToldWindow window;
  window.tell(running());
  window.story.act([](ImGuiTestContext* ui) {
    ui->WindowFocus("//Script");
    ui->KeyChars("x");
  });
  window.tell(waiting(true));
  CHECK_FALSE(window.console().active());
  CHECK(window.story.app().next_frame_in() > 0);
  CHECK(window.story.app().next_frame_in() <= 1000);
  window.story.frames(30);  // half a second
  window.type("y");
  CHECK_FALSE(window.console().active());
  window.story.frames(70);
  CHECK(window.console().active());
  CHECK(window.console().reply.text.empty());
  CHECK(window.story.app().next_frame_in() == 0);
}

TEST_CASE("a block is typed over many lines, and Python says when it is whole", "[window][console]") {
  Console c;
  c.write("for i in x:");
  c.press(ImGuiKey_Enter);
  REQUIRE(c.story.host().questions.size() == 1);
  CHECK(c.story.host().questions[0].kind == "is_complete");
  c.answer(R"({"state": "incomplete", "message": ""})");
  CHECK(c.state().text == "for i in x:\n    ");
  c.write("print(i)");
  c.press(ImGuiMod_Shift | ImGuiKey_Enter);
  CHECK(c.story.host().questions.size() == 1);  // Shift+Enter asks nobody
  c.write("    i");
  c.press(ImGuiKey_Enter);
  c.answer(R"({"state": "incomplete", "message": ""})");
  c.press(ImGuiKey_Enter);
  c.answer(R"({"state": "complete", "message": ""})");
  REQUIRE(c.story.host().runs.size() == 1);
  CHECK(c.story.host().runs[0].source == "for i in x:\n    print(i)\n    i");
  CHECK(c.story.host().runs[0].path.empty());
  CHECK(c.story.app().output().all_text().find("... ") != std::string::npos);
}

TEST_CASE("a line that Python has run within a frame is no longer in the field", "[window][console]") {
  Console c;
  c.story.host().ends_runs_at_once = true;
  for (const char* line : {"x = 1", "x + 1"}) {
    c.write(line);
    c.press(ImGuiKey_Enter);
    CHECK(c.story.host().runs.back().source == line);
    CHECK(c.state().text.empty());
  }
  c.write("y");  // and the field has the keyboard
  CHECK(c.state().text == "y");
}

TEST_CASE("what is typed right after Enter is the next line, in order", "[window][console]") {
  Console c;
  SECTION("lines that have run at once") { c.story.host().ends_runs_at_once = true; }
  SECTION("lines that run for a moment") {}
  c.type_fast("a=1\nbc=2\nnext");
  for (int line = 0; line < 2 && !c.story.host().ends_runs_at_once; ++line) c.finish();
  std::vector<std::string> ran;
  for (const auto& run : c.story.host().runs) ran.push_back(run.source.value_or(""));
  CHECK(ran == std::vector<std::string>{"a=1", "bc=2"});
  CHECK(c.state().text == "next");
  c.type_fast("=3\n");
  CHECK(c.story.host().runs.back().source == "next=3");
  CHECK(c.story.host().inputs.empty());
}

TEST_CASE("what is typed while a line runs for longer is for it, and the rest for Python when it has ended", "[window][console]") {
  Console c;
  c.type_fast("input()\nan answer\nhal");
  CHECK(c.story.host().inputs.empty());
  c.wait_a_blink();
  CHECK(c.story.host().inputs == std::vector<std::string>{"an answer\n"});
  CHECK(c.story.app().panels().output.console.reply.text == "hal");
  c.type_fast("f");
  CHECK(c.story.app().panels().output.console.reply.text == "half");
  c.finish();
  CHECK(c.state().text == "half");
  c.type_fast(" = 2\n");
  CHECK(c.story.host().runs.back().source == "half = 2");
}

TEST_CASE("Up and Down bring back what was typed, Ctrl+R finds it", "[window][console]") {
  Console c;
  for (const char* line : {"alpha = 1", "beta = 2"}) {
    c.write(line);
    c.press(ImGuiKey_Enter);
    c.finish();
  }
  CHECK(c.story.host().runs.size() == 2);
  c.write("gam");
  c.press(ImGuiKey_UpArrow);
  CHECK(c.state().text == "beta = 2");
  c.press(ImGuiKey_UpArrow);
  CHECK(c.state().text == "alpha = 1");
  c.press(ImGuiKey_DownArrow, 2);
  CHECK(c.state().text == "gam");
  c.press(ImGuiKey_Backspace, 3);
  c.write("alp");
  c.press(ImGuiMod_Ctrl | ImGuiKey_R);
  CHECK(c.state().text == "alpha = 1");
  c.press(ImGuiKey_Enter);
  REQUIRE(c.story.host().runs.size() == 3);
  CHECK(c.story.host().runs[2].source == "alpha = 1");
}

TEST_CASE("Tab asks Python what fits, and the list is used by keys", "[window][console]") {
  Console c;
  c.write("x.re");
  c.press(ImGuiKey_Tab);
  REQUIRE(c.story.host().questions.size() == 1);
  CHECK(c.story.host().questions[0].kind == "complete");
  CHECK(c.story.host().questions[0].text.find("\"cursor\":4") != std::string::npos);
  c.answer(R"({"from": 2, "cut": false, "matches": [{"text": "real", "kind": "attribute"},
              {"text": "repeat", "kind": "function"}, {"text": "reshape", "kind": "function"}]})");
  REQUIRE(c.state().completion.open());
  c.press(ImGuiKey_DownArrow);
  CHECK(c.state().completion.selected() == 1);
  c.write("s");
  CHECK(c.state().completion.size() == 1);
  c.press(ImGuiKey_Enter);
  CHECK(c.state().text == "x.reshape");
  CHECK(c.story.host().runs.empty());
  CHECK_FALSE(c.state().completion.open());
  // Escape closes the list and leaves the text.
  c.write("; x.r");
  c.press(ImGuiKey_Tab);
  c.answer(R"({"from": 13, "matches": [{"text": "real", "kind": ""}, {"text": "ravel", "kind": ""}], "cut": false})");
  CHECK(c.state().completion.open());
  c.press(ImGuiKey_Escape);
  CHECK_FALSE(c.state().completion.open());
  CHECK(c.state().text == "x.reshape; x.r");
  // An answer that makes no sense changes nothing.
  c.press(ImGuiKey_Tab);
  c.answer(R"({"from": 999, "matches": [{"text": "zzz"}]})");
  CHECK(c.state().text == "x.reshape; x.r");
}

TEST_CASE("the list of completions is as wide as what it shows, and stays in the panel", "[window][console]") {
  Console c;
  const auto width_with = [&](const std::string& longest) {
    c.write("x.");
    c.press(ImGuiKey_Tab);
    c.answer(R"({"from": 2, "cut": false, "matches": [{"text": "zeta", "kind": "attribute"}, {"text": ")" + longest +
             R"(", "kind": "function"}]})");
    REQUIRE(c.state().completion.open());
    c.story.frames(3);
    const ImGuiWindow* list = ImGui::FindWindowByName("##completion");
    const ImGuiWindow* panel = ImGui::FindWindowByName("Output");
    REQUIRE(list != nullptr);
    REQUIRE(panel != nullptr);
    CHECK(list->Rect().Max.x <= panel->Rect().Max.x);
    const float width = list->Size.x;
    c.press(ImGuiKey_Escape);
    c.press(ImGuiKey_Backspace, 2);
    return width;
  };
  const float usual = width_with("repeat");
  const std::string name = "'encoder.layers.0.self_attn.in_proj_weight']";
  CHECK(width_with(name) > usual);
  CHECK(width_with(std::string(500, 'n')) >= width_with(name));  // as wide as the panel has room
}

TEST_CASE("while the script runs, a line goes to it, and Ctrl+C stops it", "[window][console]") {
  Console c;
  c.write("input()");
  c.press(ImGuiKey_Enter);
  REQUIRE(c.story.host().runs.size() == 1);
  c.story.frames(4);
  REQUIRE(c.story.app().host().busy());
  c.wait_a_blink();
  c.write("an answer");
  c.press(ImGuiKey_Enter);
  REQUIRE(c.story.host().inputs.size() == 1);
  CHECK(c.story.host().inputs[0] == "an answer\n");
  c.press(ImGuiMod_Ctrl | ImGuiKey_C);
  CHECK(c.story.host().stops == 1);
}

TEST_CASE("a traceback's line leads to the script, and its text can be copied", "[window][console]") {
  Console c;
  c.story.app().load_text("", "a\nb\nc\nd\n");
  c.story.app().show_output("\x1b[31mred\x1b[0m plain\n  File \"<unsaved script>\", line 3, in f\n");
  c.story.frames(4);
  CHECK(c.story.app().output().styles().size() == 2);
  c.story.act([](ImGuiTestContext* ui) {
    ImGuiWindow* lines = ui->WindowInfo("//Output/lines").Window;
    const float row = ImGui::GetTextLineHeightWithSpacing();
    const auto count = 2.0F;
    const float top = lines->ContentRegionRect.Max.y - row * count;
    static_cast<void>(top);
    ui->MouseMoveToPos({lines->Pos.x + 60, lines->Pos.y + lines->WindowPadding.y - lines->Scroll.y + row * 1.5F});
    ui->MouseClick();
  });
  c.story.frames(4);
  CHECK(app::cursor_line(c.story.app().panels().script) == 2);
}

TEST_CASE("lines that are dropped above do not move what one reads, in any frame", "[window][console]") {
  Console c;
  auto print = [&, next = 0](int lines) mutable {
    std::string text;
    for (int i = 0; i < lines; ++i) text += "line " + std::to_string(next++) + "\n";
    c.story.app().show_output(text);
  };
  for (int i = 0; i < 26; ++i) {
    print(2000);
    c.story.frames(2);
  }
  REQUIRE(c.story.app().output().dropped_lines() > 0);
  app::OutputPanelState& output = c.story.app().panels().output;
  const ImGuiWindow* lines = nullptr;
  c.story.act([&](ImGuiTestContext* ui) {
    ImGuiWindow* const window = ui->WindowInfo("//Output/lines").Window;
    ui->MouseMoveToPos({window->Pos.x + 60, window->Pos.y + 60});
    ui->MouseWheelY(40);
    lines = window;
  });
  c.story.frames(2);
  REQUIRE_FALSE(output.follow);
  const auto top = [&] {
    const std::string all = drawn_text(lines->Pos, {lines->Pos.x + lines->Size.x, lines->Pos.y + lines->Size.y});
    return all.substr(0, all.find('\n'));
  };
  const std::string before = top();
  REQUIRE(before.starts_with("line "));
  for (int i = 0; i < 6; ++i) {
    print(70);
    c.story.frames(1);
    CHECK(top() == before);
  }
}

TEST_CASE("Ctrl+F in the output finds in it, and leaves the tensors as they are", "[window][console]") {
  Console c;
  std::string text;
  for (int i = 0; i < 400; ++i) text += "epoch " + std::to_string(i) + (i % 100 == 7 ? " nän\n" : "\n");
  c.story.app().show_output(text);
  c.story.frames(4);
  app::OutputPanelState& output = c.story.app().panels().output;
  c.press(ImGuiMod_Ctrl | ImGuiKey_F);
  CHECK(output.find.open);
  c.write("än");
  const auto selected = [&] { return output.selected_from ? output.selected_from->line : 0; };
  for (const std::uint64_t line : {7U, 107U, 207U}) {
    c.press(ImGuiKey_Enter);
    CHECK(selected() == line);
  }
  CHECK(output.find.said == "3 of 4 matches");
  CHECK_FALSE(output.follow);
  CHECK(c.story.app().output().text_between(*output.selected_from, *output.selected_to) == "än");
  c.press(ImGuiMod_Shift | ImGuiKey_Enter);
  CHECK(selected() == 107);
  c.press(ImGuiKey_Escape);
  CHECK_FALSE(output.find.open);
  CHECK(c.state().text.empty());
  CHECK(c.story.app().panels().tensors.filter.empty());
}

TEST_CASE("a long line goes on in the next row, is selected across it, and its link leads to the script there",
          "[window][console]") {
  Console c;
  c.story.app().load_text("", "a\nb\nc\nd\n");
  const std::string words(400, 'w');
  c.story.app().show_output("short\n" + words + "  File \"<unsaved script>\", line 3, in f\nlast\n");
  c.story.frames(4);
  const app::OutputPanelState& output = c.story.app().panels().output;
  REQUIRE(output.rows.size() > 4);
  REQUIRE(output.rows.rows_of(1) == output.rows.size() - 2);
  CHECK(output.rows.first_row_of(2) == output.rows.size() - 1);
  std::string copied;
  c.story.act([&](ImGuiTestContext* ui) {
    ImGuiWindow* lines = ui->WindowInfo("//Output/lines").Window;
    CHECK(lines->ScrollMax.x == 0);
    const float height = ImGui::GetTextLineHeightWithSpacing();
    const ImVec2 from{lines->Pos.x + lines->WindowPadding.x, lines->Pos.y + lines->WindowPadding.y - lines->Scroll.y};
    // From the beginning of the long line to the beginning of the last one.
    ui->MouseMoveToPos({from.x + 1, from.y + height * 1.5F});
    ui->MouseDown();
    ui->MouseMoveToPos({from.x + 1, from.y + height * (static_cast<float>(output.rows.size()) - 0.5F)});
    ui->MouseUp();
    ui->KeyPress(ImGuiMod_Ctrl | ImGuiKey_C);
    ui->Yield(2);
    copied = ImGui::GetClipboardText();
    // The link is in the row after the words.
    const float column = output.rows.column();
    const auto columns = static_cast<std::size_t>(output.rows.room() / column);
    const std::size_t at = words.size() + 5;
    ui->MouseMoveToPos({from.x + column * (static_cast<float>(at % columns) + 0.5F),
                        from.y + height * (1.5F + static_cast<float>(at / columns))});
    ui->MouseClick();
  });
  CHECK(copied == words + "  File \"<unsaved script>\", line 3, in f\n");
  c.story.frames(4);
  CHECK(app::cursor_line(c.story.app().panels().script) == 2);
  // Not wrapped by choice.
  c.story.app().panels().output.wrap = false;
  c.story.frames(3);
  CHECK(output.rows.size() == 3);
  c.story.act([](ImGuiTestContext* ui) { CHECK(ui->WindowInfo("//Output/lines").Window->ScrollMax.x > 0); });
}

TEST_CASE("how a run ended is in the colour of a failure when it failed, and of a note when it did not", "[window][console]") {
  const auto inks = [](core::Outcome outcome) {
    HostWindow window;
    window.start();
    core::RunOutcome ended;
    ended.outcome = outcome;
    window.story.host().finish(ended, nullptr);
    window.story.frames(4);
    bring_up(window.story, "//Output");
    window.story.frames(3);
    std::vector<ImU32> out;
    for (const DrawnGlyph& glyph : drawn_glyphs()) {
      if (std::string_view(glyph.window).find("Output/lines") != std::string_view::npos) out.push_back(glyph.ink);
    }
    return out;
  };
  const auto has = [](const std::vector<ImU32>& all, const ImVec4& colour) {
    return std::ranges::find(all, ImGui::ColorConvertFloat4ToU32(colour)) != all.end();
  };
  const app::Theme& theme = app::theme_for(app::ThemeChoice::dark);
  const std::vector<ImU32> finished = inks(core::Outcome::finished), raised = inks(core::Outcome::raised);
  CHECK(has(finished, theme.note));
  CHECK_FALSE(has(finished, theme.bad));
  CHECK(has(raised, theme.bad));
}

TEST_CASE("no Python starts by itself for a line that is entered after it has ended; the line stays", "[window][console]") {
  Console c;
  const int starts = c.story.host().starts;
  c.write("x + 1");
  c.story.host().events.emplace_back(app::HostEvent{app::HostEnded{{}, 9, {}}});
  c.story.frames(4);
  REQUIRE(c.story.app().host().state() == app::HostState::ended);
  c.press(ImGuiKey_Enter);
  CHECK(c.state().text == "x + 1");
  CHECK(c.story.host().runs.empty());
  CHECK(c.story.host().starts == starts);
  c.story.act([](ImGuiTestContext* ui) { ui->ItemClick("//Output/Restart Python"); });
  c.story.frames(2);
  CHECK(c.story.host().starts == starts + 1);
  c.story.host().ready();
  c.story.frames(4);
  CHECK(c.state().text == "x + 1");
  c.click();
  c.press(ImGuiKey_Enter);
  REQUIRE(c.story.host().runs.size() == 1);
  CHECK(c.story.host().runs[0].source == "x + 1");
}

TEST_CASE("the log comes up at its newest entry, however its lines are wrapped", "[window][console]") {
  ToldWindow window;
  for (int i = 0; i < 40; ++i)
    window.story.app().add_notice(app::Tone::plain, std::to_string(i) + std::string(i % 3 * 150, 'x') + " and some more words");
  window.story.frames(2);
  window.story.act([](ImGuiTestContext* ui) { ui->WindowFocus("//Log"); });
  window.story.frames(6);
  const auto& windows = ImGui::GetCurrentContext()->Windows;
  const auto events = std::ranges::find_if(
      windows, [](const ImGuiWindow* each) { return std::string_view(each->Name).starts_with("Log/events"); });
  REQUIRE(events != windows.end());
  REQUIRE((*events)->ScrollMax.y > 0);
  CHECK((*events)->Scroll.y >= (*events)->ScrollMax.y - 1);
}

TEST_CASE("a script that waits for a line says so where there are no tensors yet, and leads to where it is typed",
          "[window][console]") {
  const auto offered = [](ToldWindow& window) {
    bool is_there = false;
    window.story.act([&](ImGuiTestContext* ui) {
      is_there = ui->ItemInfo("//Tensors/Show the output", ImGuiTestOpFlags_NoError).ID != 0;
    });
    return is_there;
  };
  ToldWindow window;
  window.tell(running());
  CHECK_FALSE(offered(window));
  window.tell(waiting(true));
  REQUIRE(offered(window));
  window.story.act([](ImGuiTestContext* ui) {
    ui->WindowFocus("//Log");
    ui->ItemClick("//Tensors/Show the output");
  });
  window.story.frames(4);
  const ImGuiWindow* const focused = ImGui::GetCurrentContext()->NavWindow;
  REQUIRE(focused != nullptr);
  CHECK(focused->RootWindow == ImGui::FindWindowByName("Output"));
}

}  // namespace dlscope::tests
