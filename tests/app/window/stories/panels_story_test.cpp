// Which panels are in view: by the palette, after a reset of the layout, after a stop or a crash is over.
#include <catch2/catch_test_macros.hpp>
#include <imgui_internal.h>

#include <sstream>
#include <string>

#include "app/models/panels/panel_facts.h"
#include "tests/app/window/stories/debugged_story.h"
#include "tests/app/window/stories/story_windows.h"
#include "tests/support/temporary_folder.h"

namespace dlscope::tests {
namespace {

constexpr app::LayoutPreset kLayouts[] = {app::LayoutPreset::verify, app::LayoutPreset::teach, app::LayoutPreset::debug};

void set_layout(Story& story, app::LayoutPreset layout) {
  story.app().commands().push(app::command::SetLayout{layout});
  story.frames(8);
}

// Every place with its tabs, the one in front marked, from left to right and from top to bottom.
std::string arrangement() {
  std::ostringstream out;
  const auto add = [&](const auto& again, const ImGuiDockNode* node) -> void {
    if (node == nullptr) return;
    for (const ImGuiDockNode* part : node->ChildNodes) again(again, part);
    if (node->IsSplitNode() || !node->IsVisible || node->TabBar == nullptr) return;
    out << node->Pos.x << ',' << node->Pos.y << ' ' << node->Size.x << 'x' << node->Size.y << ':';
    for (ImGuiTabItem& tab : node->TabBar->Tabs)
      out << (tab.ID == node->TabBar->SelectedTabId ? " *" : " ") << ImGui::TabBarGetTabName(node->TabBar, &tab);
    out << '\n';
  };
  for (const ImGuiStoragePair& each : ImGui::GetCurrentContext()->DockContext.Nodes.Data) {
    const auto* const node = static_cast<const ImGuiDockNode*>(each.val_p);
    if (node != nullptr && node->IsRootNode()) add(add, node);
  }
  return out.str();
}

void hide_all(Story& story) {
  for (const app::PanelFacts* const panel : app::panels()) {
    story.app().panels().menu.show[panel->context] = false;
    story.frames(2);
  }
}

bool in_front(const char* panel) { return app::panel_in_front_at(panel) == panel; }

// Takes the first line that the palette finds. In one act: between two the test engine gives the keyboard away.
void by_palette(Story& story, const std::string& query) {
  story.act([&](ImGuiTestContext* ui) {
    ui->KeyPress(ImGuiMod_Ctrl | ImGuiMod_Shift | ImGuiKey_P);
    ui->Yield(2);
    ui->KeyChars(query.c_str());
    ui->Yield(2);
    ui->KeyPress(ImGuiKey_Enter);
    ui->Yield(6);
  });
}

}  // namespace

TEST_CASE("a reset gives the first layout again, whatever panels were hidden", "[window]") {
  for (const ImVec2 size : {ImVec2(1920, 1080), ImVec2(1280, 800)}) {
    for (const float scale : {1.0F, 2.0F}) {
      HostWindow window;
      window.story.resize(size.x, size.y);
      window.story.app().set_scale(scale);
      window.story.frames(8);
      for (const app::LayoutPreset layout : kLayouts) {
        set_layout(window.story, layout);
        const std::string first = arrangement();
        hide_all(window.story);
        REQUIRE(arrangement().empty());
        set_layout(window.story, layout);
        INFO(size.x << " at " << scale << ", " << app::layout_name(layout));
        CHECK(arrangement() == first);
      }
    }
  }
}

TEST_CASE("the first layout of a session is the one that a reset gives", "[window]") {
  HostWindow window;
  const std::string first = arrangement();
  set_layout(window.story, app::LayoutPreset::debug);
  CHECK(arrangement() == first);
}

TEST_CASE("a hand-made arrangement has the same panels in front in the next session", "[window][settings]") {
  const TemporaryFolder folder;
  app::ApplicationOptions options, next;
  options.settings_file = folder / "settings.json";
  std::string left;
  {
    Story story(options);
    story.frames(8);
    story.act([](ImGuiTestContext* ui) {
      for (const char* panel : {"//Sharing", "//Layout", "//Output"}) {
        ui->WindowFocus(panel);
        ui->Yield(2);
      }
    });
    story.app().panels().arranged_by_hand = true;
    story.app().note_window({});
    story.frames(2);
    story.app().finish_background_work();
    next.settings = story.app().settings();
    left = arrangement();
  }
  Story story(next);
  story.frames(8);
  CHECK(story.app().panels().arranged_by_hand);
  CHECK(arrangement() == left);
  CHECK(in_front("Output"));  // History and others appear later
  CHECK(in_front(app::panel_with_keyboard().c_str()));
}

TEST_CASE("the palette shows every panel in every layout, also a hidden one, and hides none", "[window][keyboard]") {
  HostWindow window;
  for (const app::LayoutPreset layout : kLayouts) {
    set_layout(window.story, layout);
    hide_all(window.story);
    for (int time = 0; time < 2; ++time) {  // then it is there and has the keyboard, or is behind another one
      for (const app::PanelFacts* const panel : app::panels()) {
        INFO(app::layout_name(layout) << ", " << panel->title << ", " << time);
        by_palette(window.story, std::string("Show ") + panel->title);
        CHECK(in_front(panel->title));
        by_palette(window.story, panel->title);
        CHECK(in_front(panel->title));
        CHECK(app::panel_with_keyboard() == panel->title);
      }
    }
  }
}

TEST_CASE("the palette gives the keyboard back to where it was", "[window][keyboard]") {
  DebuggedStory d;
  d.put_cursor(4);
  d.story.app().panels().menu.show[app::ActionContext::stack] = true;  // made last, and never looked at
  d.story.frames(4);
  d.put_cursor(4);
  d.story.act([](ImGuiTestContext* ui) {
    ui->KeyPress(ImGuiMod_Ctrl | ImGuiMod_Shift | ImGuiKey_P);
    ui->Yield(2);
    ui->KeyPress(ImGuiKey_Escape);
    ui->Yield(3);
    ui->KeyChars("a = 3");
    ui->Yield(2);
  });
  CHECK(d.panel().typing);
  CHECK(app::editor_text(d.panel()).find("a = 3") != std::string::npos);
}

TEST_CASE("the stack gives its place back when the stop is over and a run was good", "[window][debug]") {
  DebuggedStory d;
  d.story.app().set_scale(2);
  d.story.resize(1600, 1000);
  d.story.frames(8);
  REQUIRE(in_front("Values"));
  d.run();
  d.stop();
  CHECK(in_front("Stack"));
  const auto go_on = [&] {
    const std::string front = app::panel_in_front_at("Stack");
    d.press(ImGuiKey_F5);
    CHECK(app::panel_in_front_at("Stack") == front);  // it may stop again: nothing jumps
    d.story.host().finish({}, nullptr);
    d.story.frames(6);
  };
  SECTION("the panel that it covered is in front again") {
    go_on();
    CHECK(in_front("Values"));
    CHECK(d.story.app().panels().menu.show[app::ActionContext::stack]);
    d.press(ImGuiKey_F5);
    d.stop(2);
    CHECK(in_front("Stack"));
    go_on();
    CHECK(in_front("Values"));
  }
  SECTION("what the person chose meanwhile stays") {
    d.story.act([](ImGuiTestContext* ui) { ui->WindowFocus("//Hex"); });
    go_on();
    CHECK(in_front("Hex"));
  }
  SECTION("a person who works in it is not disturbed") {
    d.story.act([](ImGuiTestContext* ui) { ui->WindowFocus("//Stack"); });
    d.press(ImGuiKey_F5);
    d.story.host().finish({}, nullptr);
    d.story.frames(6);
    CHECK(in_front("Stack"));
  }
  SECTION("a reset of the layout shows the stop again") {
    set_layout(d.story, app::LayoutPreset::debug);
    CHECK(in_front("Stack"));
    go_on();
    CHECK(in_front("Values"));
  }
}

TEST_CASE("after a crash, a new Python and a good run the stack is not in front", "[window][debug]") {
  DebuggedStory d;
  d.story.app().set_scale(2);
  d.story.resize(1600, 1000);
  d.story.frames(8);
  d.run();
  core::RunOutcome crashed;
  crashed.outcome = core::Outcome::crashed;
  crashed.crash.emplace();
  d.story.host().finish(crashed, nullptr);
  d.story.frames(8);
  CHECK(in_front("Stack"));
  // What is known of the crash stays when another script is opened, and says whose it is.
  d.story.app().load_text("/home/u/other.py", "z = 1\n");
  d.story.frames(4);
  CHECK(d.story.text_of_frame().find("train.py: The script's process crashed") != std::string::npos);
  restart(d.story.app());
  d.story.frames(3);
  d.story.host().ready();
  d.story.frames(6);
  d.press(ImGuiKey_F5);
  d.story.host().finish({}, nullptr);
  d.story.frames(6);
  CHECK(in_front("Values"));
  CHECK(d.story.text_of_frame().find("crashed") == std::string::npos);
}

TEST_CASE("a script that is opened while another one runs or stands is seen, and not taken for that one",
          "[window][debug][files]") {
  DebuggedStory d;
  const auto shows = [&](const char* text) { return d.story.text_of_frame().find(text) != std::string::npos; };
  d.run();
  d.story.frames(2);
  CHECK(shows("The script is running."));
  d.story.app().load_text("/home/u/other.py", "z = 1\n");
  d.story.frames(4);
  CHECK(shows("train.py is running."));
  d.stop();
  CHECK(d.panel().source.path == "/home/u/train.py");  // where it stands
  CHECK_FALSE(shows("The text was changed since it was run"));
  d.story.app().load_text("/home/u/third.py", "z = 1\n");
  d.story.frames(4);
  CHECK_FALSE(d.panel().source.open());
  d.press(ImGuiKey_F10);
  d.stop(2, 5, core::wire::StopReason::step);
  CHECK(d.panel().source.path == "/home/u/train.py");
}

TEST_CASE("an arrangement that a person made has a menu where titles are cut, in a large window, too", "[window]") {
  HostWindow window;
  Story& story = window.story;
  set_layout(story, app::LayoutPreset::debug);
  story.app().panels().arranged_by_hand = true;
  const ImGuiDockNode* const place = ImGui::FindWindowByName("Values")->DockNode;
  const auto has_menu = [](const ImGuiDockNode* node) { return (node->LocalFlags & ImGuiDockNodeFlags_NoWindowMenuButton) == 0; };
  story.frames(4);
  CHECK_FALSE(has_menu(place));
  // The edge of the code is dragged over the values, and back.
  const float left = place->Pos.x, right = place->Pos.x + place->Size.x, y = place->Pos.y + 100;
  const auto drag = [&](float from, float to) {
    story.act([&](ImGuiTestContext* ui) {
      ui->MouseMoveToPos({from - 2, y});
      ui->MouseDown();
      ui->MouseMoveToPos({to - 2, y});
      ui->MouseUp();
      ui->Yield(4);
    });
  };
  drag(left, right - 180);
  REQUIRE(place->Size.x < 300);
  CHECK(has_menu(place));
  drag(place->Pos.x, left);
  REQUIRE(place->Size.x > 500);
  CHECK_FALSE(has_menu(place));
}

}  // namespace dlscope::tests
