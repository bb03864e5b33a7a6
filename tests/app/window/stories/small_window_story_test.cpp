// What a person can read in a small window, or with large letters: titles of panels, the help card, notices.
#include <catch2/catch_test_macros.hpp>
#include <imgui_internal.h>

#include <algorithm>
#include <string>
#include <vector>

#include "app/models/panels/panel_facts.h"
#include "tests/app/window/stories/drawn_text.h"
#include "tests/app/window/stories/story_windows.h"

namespace dlscope::tests {
namespace {

std::vector<ImGuiDockNode*> places() {
  std::vector<ImGuiDockNode*> out;
  for (const ImGuiStoragePair& each : ImGui::GetCurrentContext()->DockContext.Nodes.Data) {
    auto* const node = static_cast<ImGuiDockNode*>(each.val_p);
    if (node != nullptr && node->IsVisible && node->TabBar != nullptr) out.push_back(node);
  }
  return out;
}

void set_layout(Story& story, app::LayoutPreset layout, bool with_stack) {
  story.app().commands().push(app::command::SetLayout{layout});
  story.frames(6);
  story.app().panels().menu.show[app::ActionContext::stack] = with_stack;
  story.frames(6);
}

std::string without_spaces(std::string text) {
  std::erase(text, ' ');
  return text;
}

// What the menu beside the tabs of a place says, without spaces; not the text that it covers.
std::string menu_of(Story& story, const ImGuiDockNode& place) {
  const ImGuiID button = ImHashStr("#COLLAPSE", 0, place.ID);
  story.act([&](ImGuiTestContext* ui) {
    ui->ItemClick(button);
    ui->Yield(2);
    IM_CHECK(ImGui::IsPopupOpen("", ImGuiPopupFlags_AnyPopup));
  });
  story.frames(1);
  REQUIRE(GImGui->OpenPopupStack.Size == 1);
  const std::string menu = GImGui->OpenPopupStack.back().Window->Name;
  std::string text;
  for (const DrawnGlyph& glyph : drawn_glyphs()) {
    char bytes[5] = {};
    ImTextCharToUtf8(bytes, glyph.code_point);
    if (glyph.window == menu && glyph.seen()) text += bytes;
  }
  story.act([](ImGuiTestContext* ui) { ui->PopupCloseAll(); });
  return text;
}

// How many places have a menu beside their tabs.
std::size_t menus(Story& story) {
  std::size_t count = 0;
  story.act([&](ImGuiTestContext* ui) {
    for (const ImGuiDockNode* const place : places()) count += ui->ItemExists(ImHashStr("#COLLAPSE", 0, place->ID)) ? 1 : 0;
  });
  return count;
}

// The window inside the exchange view that keeps what was scrolled and unfolded in its tab.
std::string exchange_body() {
  for (const ImGuiWindow* const window : GImGui->Windows) {
    const std::string name = window->Name;
    if (window->Active && name.starts_with("Exchange/") && name.find("body") != std::string::npos) return name;
  }
  return {};
}

constexpr app::LayoutPreset kLayouts[] = {app::LayoutPreset::verify, app::LayoutPreset::teach, app::LayoutPreset::debug};

}  // namespace

TEST_CASE("at 200 % no title of a panel is scrolled out of view, and in Verify and Teach none is cut", "[window]") {
  HostWindow window;
  window.story.app().set_scale(2);
  for (const ImVec2 size : {ImVec2(1920, 1080), ImVec2(1600, 1000)}) {
    window.story.resize(size.x, size.y);
    for (const app::LayoutPreset layout : kLayouts) {
      for (const bool with_stack : {false, true}) {
        set_layout(window.story, layout, with_stack);
        REQUIRE(places().size() >= 3);
        for (const ImGuiDockNode* const place : places()) {
          CHECK_FALSE(place->TabBar->ScrollButtonEnabled);
          for (ImGuiTabItem& tab : place->TabBar->Tabs) {
            INFO(size.x << ", " << app::layout_name(layout) << ", " << ImGui::TabBarGetTabName(place->TabBar, &tab));
            const bool may_be_cut = size.x == 1920 && (with_stack || layout == app::LayoutPreset::debug);
            if (!may_be_cut) CHECK(tab.Width >= tab.ContentWidth);
          }
        }
      }
    }
  }
}

TEST_CASE("where titles of panels have no room, a menu has all of them in full", "[window]") {
  HostWindow window;
  window.story.app().set_scale(2);
  window.story.resize(1280, 800);
  for (const app::LayoutPreset layout : kLayouts) {
    set_layout(window.story, layout, false);
    bool any_crowded = false;
    for (const ImGuiDockNode* const place : places()) {
      if (!place->TabBar->ScrollButtonEnabled) continue;
      any_crowded = true;
      std::vector<std::string> titles;
      for (const ImGuiWindow* const panel : place->Windows) titles.emplace_back(panel->Name);
      const std::string text = menu_of(window.story, *place);
      for (const std::string& title : titles) {
        INFO(title << " in " << text);
        CHECK(text.find(without_spaces(title)) != std::string::npos);
      }
    }
    CHECK(any_crowded);
  }
  window.story.app().set_scale(1);
  window.story.frames(6);
  CHECK(menus(window.story) == 0);
  for (const ImGuiDockNode* const place : places()) CHECK_FALSE(place->TabBar->ScrollButtonEnabled);
}

TEST_CASE("an arrangement that a person made has that menu in a small window, and only there", "[window]") {
  HostWindow window;
  Story& story = window.story;
  story.app().panels().arranged_by_hand = true;  // as with one from the settings: nothing is arranged when the window changes
  story.frames(3);
  CHECK(menus(story) == 0);
  story.resize(1280, 800);
  story.app().set_scale(2);
  story.frames(6);
  CHECK(menus(story) == places().size());
  story.resize(1600, 1000);  // at 200 % the left one of two places would be divided here; a person's own is not
  story.frames(6);
  CHECK(menus(story) == places().size());
  story.resize(1920, 1080);
  story.app().set_scale(1);
  story.frames(6);
  CHECK(menus(story) == 0);
}

TEST_CASE("the menu beside a single tab has its title, and does not offer to hide it", "[window]") {
  HostWindow window;
  Story& story = window.story;
  story.app().set_scale(2);
  story.resize(1280, 800);
  set_layout(story, app::LayoutPreset::debug, false);
  for (const app::PanelFacts* const panel : app::panels()) story.app().panels().menu.show[panel->context] = false;
  story.app().panels().menu.show[app::ActionContext::tensors] = true;
  story.frames(6);
  const auto all = places();
  REQUIRE((all.size() == 1 && all.front()->TabBar->Tabs.Size == 1));
  CHECK(menu_of(story, *all.front()) == "Tensors");
}

TEST_CASE("the left one of two places is divided where the editor gets some lines and the titles fit", "[window]") {
  using enum app::WindowRoom;
  const auto divided = [](float width, float height) { return app::panel_room(width, height) == app::PanelRoom{two_places, true}; };
  const auto whole = [](float width, float height) { return app::panel_room(width, height) == app::PanelRoom{two_places, false}; };
  CHECK((divided(760, 440) && divided(899, 1200)));
  CHECK((whole(759, 440) && whole(760, 439) && whole(560, 220)));
  for (float height = 220; height < 440; height += 1) REQUIRE(whole(1600, height));  // flat
  CHECK(app::panel_room(900, 440) == app::PanelRoom{four_places, false});
  CHECK(app::panel_room(559, 900) == app::PanelRoom{one_place, false});
}

TEST_CASE("the help card stands in the window, with its keys in lines of words", "[window][keyboard]") {
  HostWindow window;
  Story& story = window.story;
  for (const float scale : {1.0F, 2.0F}) {
    for (const ImVec2 size : {ImVec2(1280, 800), ImVec2(1600, 1000), ImVec2(1920, 1080)}) {
      story.resize(size.x, size.y);
      story.app().set_scale(scale);
      set_layout(story, app::LayoutPreset::debug, false);
      bring_up(story, "//Values");
      story.act([](ImGuiTestContext* ui) {
        const ImRect values = ui->WindowInfo("//Values").Window->Rect();
        ui->MouseMoveToPos({values.GetCenter().x, values.Max.y - 20});
        ui->KeyPress(ImGuiKey_F1);
        ui->Yield(6);
      });
      REQUIRE(story.app().panels().help.open);
      const ImRect card = ImGui::FindWindowByName("Help")->Rect();
      INFO(size.x << " at " << scale << ": " << card.Min.x << ", " << card.Min.y << " to " << card.Max.x << ", " << card.Max.y);
      CHECK((card.Min.x >= 0 && card.Min.y >= 0 && card.Max.x <= size.x && card.Max.y <= size.y));
      CHECK(card.GetWidth() > 20 * 15 * scale);
      story.act([](ImGuiTestContext* ui) { ui->ScrollToBottom("//Help"); });
      CHECK(story.text_of_frame().find("Go to an index") != std::string::npos);
      story.act([](ImGuiTestContext* ui) { ui->KeyPress(ImGuiKey_F1); });
      story.app().panels().help.open = false;
      story.frames(2);
    }
  }
}

TEST_CASE("a line of a notice or an explanation ends between words", "[window]") {
  HostWindow window;
  Story& story = window.story;
  bool any_broken = false;
  for (std::size_t before = 1; before < 60; ++before) {
    const std::string text = std::string(before, 'i') + " was written to pictures.npy, as np.float32, to be opened with any program.";
    story.app().add_notice(app::Tone::plain, text);
    const auto id = story.app().notices().all().back().id;
    story.frames(2);
    const std::string shown = story.text_of_frame();
    INFO(shown);
    any_broken = any_broken || shown.find(text) == std::string::npos;
    for (const char* word : {"pictures.npy,", "np.float32,"}) REQUIRE(shown.find(word) != std::string::npos);
    story.app().commands().push(app::command::DismissNotice{id});
    story.frames(2);
  }
  CHECK(any_broken);
}

TEST_CASE("in a narrow panel the tabs of the exchange view are a list of whole titles", "[window][exchange]") {
  HostWindow window;
  Story& story = window.story;
  const app::ExchangeState& state = story.app().panels().exchange;
  story.resize(1600, 1000);
  story.app().set_scale(2);
  set_layout(story, app::LayoutPreset::verify, false);
  story.app().panels().menu.show[app::ActionContext::exchange] = true;
  story.frames(3);
  bring_up(story, "//Exchange");
  CHECK(state.tabs_as_list);
  CHECK(story.text_of_frame().find("Hand over") != std::string::npos);
  const std::string hand_over = exchange_body();
  story.act([](ImGuiTestContext* ui) {
    ui->SetRef("//Exchange");
    ui->ComboClick("##tab/Prove");
  });
  CHECK(state.tab == app::ExchangeTab::prove);
  CHECK(story.text_of_frame().find("Add all shown") != std::string::npos);
  story.app().commands().push(app::command::Ask{app::ActionId::life_selected});  // brings up its own tab
  story.frames(4);
  CHECK(state.tab == app::ExchangeTab::life);
  const std::string life = exchange_body();
  CHECK((!life.empty() && life != hand_over));
  // With room there are tabs again, the same one in front, from the first frame on.
  story.app().set_scale(1);
  for (int frame = 0; frame < 8; ++frame) {
    story.frames(1);
    CHECK((state.tab == app::ExchangeTab::life && exchange_body() == life));
  }
  CHECK_FALSE(state.tabs_as_list);
  story.act([](ImGuiTestContext* ui) { ui->ItemClick("//Exchange/tabs/Copy"); });
  CHECK(state.tab == app::ExchangeTab::copy);
}

TEST_CASE("a panel without a selected tensor says what to do when there are some", "[window]") {
  HostWindow window;
  window.story.app().commands().push(app::command::SelectTensor{core::kNone32});
  for (const char* panel : {"//Values", "//Layout", "//Statistics", "//Heat map", "//Hex"}) {
    bring_up(window.story, panel);
    INFO(panel);
    CHECK(window.story.text_of_frame().find("Select a tensor, in the table") != std::string::npos);
  }
}

TEST_CASE("beside short names the notes of a narrow table are read, and not only counted", "[window]") {
  Story story;
  story.resize(1600, 1000);
  story.frames(2);
  story.show(snapshot_of({{.name = "pool", .address = 0x558120000000, .shape = {1024}},
                          {.name = "x", .address = 0x558120000000, .shape = {1024}},
                          {.name = "t", .address = 0x558120000000, .shape = {1024}}}));
  story.app().set_scale(2);
  set_layout(story, app::LayoutPreset::teach, false);
  ImRect table;
  story.act([&](ImGuiTestContext* ui) { table = ui->ItemInfo("//Tensors/tensors").RectFull; });
  story.frames(2);
  const std::string rows = drawn_text(table.Min, table.Max);
  INFO(rows);
  CHECK(rows.find("shares") != std::string::npos);
}

}  // namespace dlscope::tests
