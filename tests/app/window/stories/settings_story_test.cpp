// Stories of what a person sets: keys, the interpreter, what is written where, and that nothing else is.
#include <catch2/catch_test_macros.hpp>

#include <imgui_internal.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "tests/app/window/stories/story.h"
#include "tests/support/sample_snapshot.h"
#include "tests/support/temporary_folder.h"

namespace dlscope::tests {
namespace {

namespace fs = std::filesystem;

void ready(Story& story) {
  story.host().found_python();
  story.host().ready();
  story.frames(3);
}

void set_layout(Story& story, app::LayoutPreset layout) {
  story.app().commands().push(app::command::SetLayout{layout});
  story.frames(6);
}

float width_of(const char* panel) { return ImGui::FindWindowByName(panel)->Size.x; }

// In front, not behind another tab.
bool is_seen(const char* panel) {
  const ImGuiWindow* window = ImGui::FindWindowByName(panel);
  return window != nullptr && window->DockTabIsVisible;
}

int seen_panels() {
  int seen = 0;
  for (const char* panel : {"Script", "Output", "Tensors", "Sharing", "Values", "Layout", "Inspector", "Memory"})
    seen += is_seen(panel) ? 1 : 0;
  return seen;
}

// By the edge between it and what stands to the right.
void widen_script(Story& story, float by) {
  story.act([by](ImGuiTestContext* ui) {
    const ImRect script = ui->WindowInfo("//Script").Window->Rect();
    const ImVec2 edge{script.Max.x + ImGui::GetStyle().DockingSeparatorSize * 0.5F, script.GetCenter().y};
    ui->MouseMoveToPos(edge);
    ui->MouseDown();
    ui->MouseMoveToPos({edge.x + by, edge.y});
    ui->MouseUp();
    ui->Yield(3);
  });
}

}  // namespace

TEST_CASE("a key is changed in the settings, acts at once and in the next session", "[window][settings]") {
  const TemporaryFolder folder;
  app::ApplicationOptions options;
  options.settings_file = (folder.path() / "config" / "settings.json").string();
  {
    Story story(options);
    story.app().load_text("", "x = 1\n");
    ready(story);
    story.act([](ImGuiTestContext* ui) {
      ui->KeyPress(ImGuiMod_Ctrl | ImGuiKey_Comma);
      ui->Yield(3);
      ui->ItemInputValue("//Settings/##filter", "Run the script");
      ui->Yield(2);
      ui->ItemClick("//Settings/**/run.script/Change");
      ui->Yield(2);
      ui->KeyPress(ImGuiMod_Ctrl | ImGuiKey_R);
      ui->Yield(2);
    });
    CHECK(story.app().keys().text(app::ActionId::run_script) == "Ctrl+R");
    CHECK(story.host().runs.empty());  // while keys are listened for they do nothing else
    story.act([](ImGuiTestContext* ui) { ui->KeyPress(ImGuiMod_Ctrl | ImGuiKey_R); });
    CHECK(story.host().runs.size() == 1);
    story.app().commands().push(app::command::SetTheme{app::ThemeChoice::light});
    story.frames(1);
    story.app().finish_background_work();
  }
  const app::LoadedSettings loaded = app::load_settings(options.settings_file);
  CHECK(loaded.notice.empty());
  CHECK(loaded.settings.keys.at("run.script") == "Ctrl+R");
  CHECK(loaded.settings.theme == app::ThemeChoice::light);
  app::ApplicationOptions next;
  next.settings = loaded.settings;
  next.settings.keys["no.such.action"] = "Ctrl+X";
  Story again(next);
  again.frames(1);
  CHECK(again.app().keys().text(app::ActionId::run_script) == "Ctrl+R");
  CHECK(again.app().notices().all().size() == 1);  // what means nothing is said
}

TEST_CASE("in a window of any size either the settings or their table of keys scrolls, never one in the other",
          "[window][settings]") {
  for (const float scale : {1.0F, 2.0F, 3.0F}) {
    app::ApplicationOptions options;
    options.scale = scale;
    Story story(options);
    story.resize(1600, 1000);
    ready(story);
    story.act([scale](ImGuiTestContext* ui) {
      ui->KeyPress(ImGuiMod_Ctrl | ImGuiKey_Comma);
      ui->Yield(4);
      const ImGuiWindow* const sheet = ImGui::FindWindowByName("Settings");
      int tables = 0;
      for (const ImGuiWindow* const window : ImGui::GetCurrentContext()->Windows)
        tables += window != sheet && window->RootWindow == sheet && window->WasActive && window->ScrollMax.y > 0 ? 1 : 0;
      CHECK((sheet->ScrollMax.y > 0 ? 1 : 0) + tables == 1);
      CHECK((sheet->ScrollMax.y > 0) == (scale > 1));
    });
  }
}

TEST_CASE("columns, folded sections and plain words are there again in the next session", "[window][settings]") {
  const TemporaryFolder folder;
  app::ApplicationOptions options;
  options.settings_file = (folder.path() / "settings.json").string();
  const auto address = static_cast<std::size_t>(app::TableColumn::address);
  {
    Story story(options);
    ready(story);
    story.show(tour_snapshot());
    story.app().commands().push(app::command::SelectTensor{0});
    REQUIRE(story.wait_for([&] { return story.app().panels().inspector.shown.last() != nullptr; }));
    story.act([](ImGuiTestContext* ui) {
      ui->ItemClick("//Inspector/Plain words");
      ui->ItemClick("//Tensors/Columns");
      ui->SetRef("//$FOCUSED");
      ui->ItemClick("Address");
      ui->KeyPress(ImGuiKey_Escape);
    });
    story.app().panels().inspector.folded.insert("struct");
    story.app().panels().tensors.widths.by_hand[0] = 20;
    story.frames(3);
    story.app().finish_background_work();
  }
  app::ApplicationOptions next;
  next.settings = app::load_settings(options.settings_file).settings;
  CHECK(next.settings.folded.contains("struct"));
  Story again(next);
  ready(again);
  again.show(tour_snapshot());
  again.frames(3);
  CHECK(again.app().panels().tensors.shown[address]);
  CHECK(again.app().panels().tensors.widths.by_hand[0] == 20);
  CHECK(again.app().panels().inspector.folded.contains("struct"));
  CHECK_FALSE(again.app().panels().inspector.show_meanings);
}

TEST_CASE(
    "arguments and a working folder typed beside the script reach it, each script has its own, and they outlive the session",
    "[window][settings]") {
  const TemporaryFolder folder;
  app::ApplicationOptions options;
  options.settings_file = (folder.path() / "config" / "settings.json").string();
  options.arguments = {"--from", "the command line"};
  {
    Story story(options);
    story.app().load_text("/of/a.py", "x = 1\n");
    ready(story);
    CHECK(story.app().panels().script.arguments == "--from 'the command line'");
    story.act([](ImGuiTestContext* ui) {
      ui->ItemClick("//Script/###arguments");
      ui->Yield(2);
      ui->KeyCharsReplaceEnter("--epochs 3 'a file'");
      ui->ItemClick("//Script/###arguments");
      ui->Yield(2);
      ui->ItemClick("//$FOCUSED/The script's folder");
      ui->ItemInputValue("//$FOCUSED/##module", "of.a");
      ui->KeyPress(ImGuiKey_Escape);
    });
    story.app().run_script();
    REQUIRE(story.host().runs.size() == 1);
    CHECK(story.host().runs[0].module == "of.a");
    CHECK(story.host().runs[0].arguments == std::vector<std::string>{"--epochs", "3", "a file"});
    CHECK(story.host().runs[0].working_folder == "/of");
    CHECK(story.host().runs[0].path == "/of/a.py");
    story.app().load_text("/of/b.py", "y = 1\n");
    story.frames(2);
    CHECK(story.app().panels().script.arguments.empty());
    CHECK(story.app().panels().script.working_folder.empty());
    CHECK(story.app().panels().script.module.empty());
    story.app().finish_background_work();
  }
  app::ApplicationOptions next;
  next.settings = app::load_settings(options.settings_file).settings;
  Story again(next);
  again.app().load_text("/of/a.py", "x = 1\n");
  ready(again);
  CHECK(again.app().panels().script.arguments == "--epochs 3 'a file'");
  CHECK(again.app().panels().script.working_folder == ".");
  CHECK(again.app().panels().script.module == "of.a");
  again.app().panels().script.arguments = "'not closed";
  again.app().run_script();
  again.frames(1);
  CHECK(again.host().runs.empty());
  REQUIRE(again.app().notices().all().size() == 1);
  CHECK(again.app().notices().all()[0].text.find("not closed") != std::string::npos);
}

TEST_CASE("what was typed beside a script without a file is its own when it is saved, and goes with another script",
          "[window][settings]") {
  const TemporaryFolder folder;
  const std::string path = folder / "a.py";
  app::ApplicationOptions options;
  options.settings.arguments = {{path, "--of an earlier file"}};
  Story story(options);
  ready(story);
  app::ScriptPanelState& panel = story.app().panels().script;
  panel.arguments = "--epochs 3";
  panel.working_folder = "/tmp";
  story.frames(2);
  story.app().commands().push(app::command::SaveScript{.path = path});
  story.frames(1);
  story.app().finish_background_work();
  story.frames(3);
  REQUIRE(story.app().script().path == path);
  CHECK(panel.arguments == "--epochs 3");
  CHECK(panel.working_folder == "/tmp");
  CHECK(story.app().settings().arguments.at(path) == "--epochs 3");
  CHECK(story.app().settings().working_folders.at(path) == "/tmp");
  story.app().commands().push(app::command::NewScript{});
  story.frames(3);
  CHECK(panel.arguments.empty());
  panel.arguments = "--of the new script";
  story.app().commands().push(app::command::NewScript{});
  story.frames(3);
  CHECK(panel.arguments.empty());
}

TEST_CASE("run settings of the script that was not used for longest make room for another's", "[window][settings]") {
  app::ApplicationOptions options;
  app::Settings& stored = options.settings;
  for (std::size_t i = 0; i < app::kMaxRunSettings; ++i) {
    const std::string path = "/of/" + std::to_string(i) + ".py";
    stored.arguments[path] = "--of " + path;
    stored.run_settings_used.push_back(path);
  }
  const std::string oldest = stored.run_settings_used.back();
  Story story(options);
  story.app().load_text(oldest, "x = 1\n");  // now the last one used
  ready(story);
  CHECK(story.app().panels().script.arguments == "--of " + oldest);
  story.app().load_text("/of/new.py", "x = 1\n");
  story.frames(2);
  story.app().panels().script.arguments = "--new";
  story.frames(2);
  const app::Settings& now = story.app().settings();
  CHECK(now.arguments.size() == app::kMaxRunSettings);
  CHECK(now.arguments.at("/of/new.py") == "--new");
  CHECK(now.arguments.contains(oldest));
  CHECK_FALSE(now.arguments.contains("/of/" + std::to_string(app::kMaxRunSettings - 2) + ".py"));
}

TEST_CASE("a session without a settings file writes none", "[window][settings]") {
  Story story;
  ready(story);
  story.app().commands().push(app::command::SetScale{2});
  story.app().commands().push(app::command::SetLayout{app::LayoutPreset::verify});
  story.frames(2);
  story.app().finish_background_work();
  CHECK(story.app().settings().scale == 2.0F);
}

TEST_CASE("the report is saved where it is said, a picture is wished for", "[window][settings]") {
  const TemporaryFolder folder;
  const fs::path before = fs::current_path();
  fs::current_path(folder.path());
  Story story;
  ready(story);
  story.show(tour_snapshot());
  story.app().commands().push(app::command::Ask{app::ActionId::report_save});
  story.app().commands().push(app::command::Ask{app::ActionId::picture_save});
  story.frames(3);
  story.app().finish_background_work();
  fs::current_path(before);
  REQUIRE(story.app().notices().all().size() == 1);
  CHECK(story.app().notices().all().front().text.starts_with("The report was saved as " + folder.path().string()));
  std::size_t reports = 0;
  for (const auto& entry : fs::directory_iterator(folder.path())) {
    std::ifstream file(entry.path());
    std::string text((std::istreambuf_iterator<char>(file)), {});
    CHECK(text.starts_with("{"));
    CHECK(text.find("\"x\"") != std::string::npos);
    ++reports;
  }
  CHECK(reports == 1);
  const auto picture = story.app().take_wanted_picture();
  REQUIRE(picture.has_value());
  CHECK(picture->ends_with(".png"));
  CHECK_FALSE(story.app().take_wanted_picture().has_value());
}

TEST_CASE("panels that were moved stand there again, a reset puts them back", "[window][settings]") {
  Story story;
  ready(story);
  story.show(tour_snapshot());
  set_layout(story, app::LayoutPreset::teach);
  CHECK(story.app().settings().arrangements[0].empty());  // nobody moved anything
  set_layout(story, app::LayoutPreset::debug);
  const float delivered = width_of("Script");
  widen_script(story, 150);
  const float widened = width_of("Script");
  CHECK(widened > delivered + 100);
  set_layout(story, app::LayoutPreset::teach);
  CHECK(app::is_arrangement(story.app().settings().arrangements[0]));
  set_layout(story, app::LayoutPreset::debug);
  CHECK(width_of("Script") == widened);
  set_layout(story, app::LayoutPreset::debug);
  CHECK(story.app().settings().arrangements[0].empty());
  CHECK(width_of("Script") == delivered);
}

TEST_CASE("what was moved just before the window closes is kept", "[window][settings]") {
  Story story;
  ready(story);
  story.app().note_window({});
  CHECK(story.app().settings().arrangements[0].empty());
  widen_script(story, 150);
  story.app().note_window({});
  CHECK(app::is_arrangement(story.app().settings().arrangements[0]));
}

TEST_CASE("a small window has fewer panels side by side and more tabs", "[window][settings]") {
  Story story;
  ready(story);
  story.show(tour_snapshot());
  story.frames(3);
  CHECK(seen_panels() == 6);  // sharing and layout are tabs
  story.app().commands().push(app::command::SetScale{2});
  story.frames(6);
  CHECK(seen_panels() == 4);
  story.app().commands().push(app::command::SetScale{3});
  story.frames(6);
  CHECK(seen_panels() == 2);
  CHECK(is_seen("Tensors"));
  CHECK(is_seen("Values"));
  story.resize(1280, 720);
  story.frames(6);
  CHECK(seen_panels() == 1);
  CHECK(is_seen("Tensors"));
  story.resize(3840, 2160);
  story.app().commands().push(app::command::SetScale{2});
  story.frames(6);
  CHECK(seen_panels() == 6);
}

TEST_CASE("what was arranged by hand outlives another scale; a reset gives what fits the window", "[window][settings]") {
  Story story;
  ready(story);
  story.show(tour_snapshot());
  widen_script(story, 100);
  const float widened = width_of("Script");
  story.app().commands().push(app::command::SetScale{2});
  story.frames(6);
  CHECK(seen_panels() == 6);
  CHECK(width_of("Script") == widened);
  set_layout(story, app::LayoutPreset::debug);
  CHECK(seen_panels() == 4);
}

TEST_CASE("the first thing one sees fits, at every scale", "[window][settings]") {
  Story story;
  ready(story);
  constexpr struct {
    float width, height, scale;
  } kWindows[] = {{1920, 1080, 1}, {1920, 1080, 2}, {1920, 1080, 3}, {1280, 720, 1}, {1280, 720, 2}};
  for (const auto& [width, height, scale] : kWindows) {
    story.resize(width, height);
    story.app().commands().push(app::command::SetScale{scale});
    story.frames(8);
    INFO(width << " x " << height << " at " << scale);
    story.act([](ImGuiTestContext* ui) {
      const ImGuiTestItemInfo last = ui->ItemInfo("//Tensors/**/Choose another Python …");
      IM_CHECK_NO_RET(last.ID != 0);
      IM_CHECK_EQ_NO_RET(last.RectClipped.GetHeight(), last.RectFull.GetHeight());
    });
  }
}

TEST_CASE("no button of the sheets is cut off in a small window at 300 percent", "[window][settings]") {
  Story story;
  ready(story);
  story.app().commands().push(app::command::SetScale{3});
  story.resize(1280, 720);
  story.frames(6);
  const auto is_whole = [](ImGuiTestContext* ui, const char* item) {
    const ImGuiTestItemInfo info = ui->ItemInfo(item);
    IM_CHECK_NO_RET(info.ID != 0);
    IM_CHECK_GE_NO_RET(info.RectClipped.GetWidth(), info.RectFull.GetWidth() - 1);
  };
  story.act([&](ImGuiTestContext* ui) {
    ui->KeyPress(ImGuiMod_Ctrl | ImGuiKey_Comma);
    ui->Yield(3);
    for (const char* size : {"100 %", "125 %", "150 %", "200 %", "250 %", "300 %"})
      is_whole(ui, (std::string("//Settings/") + size).c_str());
    ui->KeyPress(ImGuiKey_Escape);
    ui->Yield(2);
  });
  story.app().commands().push(app::command::Ask{app::ActionId::python_choose});
  story.act([&](ImGuiTestContext* ui) {
    ui->Yield(3);
    is_whole(ui, "//Choose Python/Check");
    is_whole(ui, "//Choose Python/Use it");
  });
}

TEST_CASE("the panel that has the keyboard stays in front when the window gets small", "[window][settings]") {
  Story story;
  ready(story);
  story.show(tour_snapshot());
  story.act([](ImGuiTestContext* ui) { ui->WindowFocus("//Inspector"); });
  story.act([](ImGuiTestContext* ui) {
    ui->WindowFocus("//Inspector");
    for (int i = 0; i < 8; ++i) ui->KeyPress(ImGuiMod_Ctrl | ImGuiKey_Equal);
    ui->Yield(6);
  });
  CHECK(story.app().scale() == 3);
  CHECK(is_seen("Inspector"));
  CHECK_FALSE(is_seen("Values"));
}

}  // namespace dlscope::tests
