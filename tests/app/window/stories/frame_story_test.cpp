// Stories of the frame around the views: actions by keyboard, the palette.
#include <catch2/catch_test_macros.hpp>

#include <imgui_internal.h>

#include <string>
#include <string_view>

#include "app/models/actions/event_log.h"
#include "app/widgets/marks.h"
#include "tests/app/window/stories/drawn_text.h"
#include "tests/app/window/stories/story_windows.h"
#include "tests/support/sample_snapshot.h"
#include "tests/support/temporary_folder.h"

namespace dlscope::tests {
namespace {

std::string selected_name(app::Application& app) {
  const std::uint32_t id = app.selected();
  return id == core::kNone32 ? std::string("nothing") : std::string(app.index()->snapshot->name(app.index()->tensor(id)));
}

void ready(Story& story) {
  story.host().found_python();
  story.host().ready();
  story.frames(3);
}

// Opens the palette, types, and takes the first line. In one act: between two the test engine gives the keyboard away.
void by_palette(Story& story, const char* message) {
  story.act([&story, message](ImGuiTestContext* ui) {
    ui->KeyPress(ImGuiMod_Ctrl | ImGuiMod_Shift | ImGuiKey_P);
    ui->Yield(2);
    ui->KeyChars(message);
    ui->Yield(2);
    story.app().finish_background_work();
    ui->Yield(2);
    ui->KeyPress(ImGuiKey_Enter);
    ui->Yield(3);
  });
}

bool palette_open(Story& story) { return story.app().panels().palette.looks != app::PaletteState::Looks::nowhere; }

}  // namespace

TEST_CASE("everything by keyboard alone: run, choose, pin, layout, theme, scale", "[window][keyboard]") {
  Story story;
  story.app().load_text("tour.py", tour_script());
  ready(story);
  by_palette(story, "run the script");
  REQUIRE(story.host().runs.size() == 1);
  CHECK_FALSE(palette_open(story));
  core::RunOutcome finished;
  finished.outcome = core::Outcome::finished;
  story.host().finish(finished, tour_snapshot());
  story.frames(1);
  story.app().finish_background_work();
  story.frames(3);
  CHECK(selected_name(story.app()) == "x");
  story.act([](ImGuiTestContext* ui) {
    ui->KeyPress(ImGuiMod_Alt | ImGuiKey_DownArrow);
    ui->Yield(2);
  });
  CHECK(selected_name(story.app()) == "y");
  by_palette(story, "t[1, 2]");
  CHECK(selected_name(story.app()) == "t");
  CHECK(story.app().pinned().element == 6);
  story.act([](ImGuiTestContext* ui) { ui->KeyPress(ImGuiKey_Escape); });
  CHECK_FALSE(story.app().pinned().on_tensor());
  CHECK(selected_name(story.app()) == "t");
  by_palette(story, "layout teach");
  CHECK(story.app().layout() == app::LayoutPreset::teach);
  by_palette(story, "light");
  CHECK(story.app().theme() == app::ThemeChoice::light);
  by_palette(story, "larger");
  CHECK(story.app().scale() == 1.25F);
  by_palette(story, "inspector");
  CHECK(story.app().panels().palette.recent.all().front() == app::show_panel(app::ActionContext::inspector));
}

TEST_CASE("the palette closes with Escape, and says why something cannot be done", "[window][keyboard]") {
  Story story;
  ready(story);
  story.act([&](ImGuiTestContext* ui) {
    ui->KeyPress(ImGuiMod_Ctrl | ImGuiMod_Shift | ImGuiKey_P);
    ui->Yield(2);
    ui->KeyChars("stop the script");
    ui->Yield(2);
    ui->KeyPress(ImGuiKey_Enter);  // nothing runs
    ui->Yield(2);
    CHECK(palette_open(story));
    ui->KeyPress(ImGuiKey_Escape);
    ui->Yield(2);
  });
  CHECK(story.host().stops == 0);
  CHECK_FALSE(palette_open(story));
  // It is not modal: a click elsewhere goes there, and closes it.
  story.act([](ImGuiTestContext* ui) {
    ui->KeyPress(ImGuiMod_Ctrl | ImGuiMod_Shift | ImGuiKey_P);
    ui->Yield(2);
    ui->WindowFocus("//Memory");
    ui->Yield(2);
  });
  CHECK_FALSE(palette_open(story));
}

TEST_CASE("a file of before is opened again from the menu File and from the palette", "[window][keyboard]") {
  const TemporaryFolder folder;
  const std::string first = folder.write("first ## of all.py", "a = 1\n"), second = folder.write("second.py", "b = 2\n");
  Story story;
  ready(story);
  const auto open = [&](const std::string& path) {
    story.app().commands().push(app::command::OpenScript{path});
    REQUIRE(story.wait_for([&] { return story.app().script().path == path; }));
    story.frames(2);
  };
  const auto open_menu = [](ImGuiTestContext* ui) {
    ui->SetRef("##MainMenuBar");
    ui->MenuClick("File");
    ui->Yield(2);
  };
  // The entry is there, and grey, before anything was opened.
  story.act([&](ImGuiTestContext* ui) {
    open_menu(ui);
    CHECK((ui->ItemInfo("//###Menu_00/Open Recent").ItemFlags & ImGuiItemFlags_Disabled) != 0);
    ui->PopupCloseAll();
  });
  open(first);
  open(second);
  story.act([&](ImGuiTestContext* ui) {
    open_menu(ui);
    ui->ItemClick("//###Menu_00/Open Recent");
    ui->Yield(2);
    // As wide as the longer path, whose "##" would end a label of Dear ImGui.
    CHECK(ui->ItemInfo("//###Menu_01/$$1/##recent").RectFull.GetWidth() >= app::text_width(first));
    ui->ItemClick("//###Menu_01/$$1/##recent");
    ui->Yield(3);
  });
  CHECK(story.wait_for([&] { return story.app().script().path == first; }));
  by_palette(story, "second.py");
  CHECK(story.wait_for([&] { return story.app().script().path == second; }));
  CHECK_FALSE(palette_open(story));
}

TEST_CASE("what reaches below the line is not cut off: in no view that does not scroll, at no scale", "[window]") {
  HostWindow window;
  Story& story = window.story;
  int below = 0;
  for (const app::LayoutPreset layout : {app::LayoutPreset::debug, app::LayoutPreset::teach, app::LayoutPreset::verify}) {
    story.app().commands().push(app::command::SetLayout{layout});
    for (const float scale : {1.0F, 1.5F, 2.0F, 3.0F}) {
      story.app().commands().push(app::command::SetScale{scale});
      story.frames(8);
      for (const DrawnGlyph& glyph : drawn_glyphs()) {
        if (!glyph.seen() || glyph.code_point > 127 ||
            std::string_view("gjpqy").find(static_cast<char>(glyph.code_point)) == std::string_view::npos) continue;
        const ImGuiWindow* of = ImGui::FindWindowByName(glyph.window);
        if (of == nullptr || of->ScrollMax.y > 0) continue;
        ++below;
        UNSCOPED_INFO(static_cast<char>(glyph.code_point)
                      << " in " << glyph.window << " at " << glyph.from.x << ", " << glyph.from.y << ", scale " << scale);
        CHECK(glyph.to.y <= glyph.clip.w + 0.5F);
      }
    }
  }
  CHECK(below > 200);
}

TEST_CASE("arrow keys move through the palette's lines, Enter takes the marked one", "[window][keyboard]") {
  Story story;
  ready(story);
  const auto& palette = story.app().panels().palette;
  story.act([&](ImGuiTestContext* ui) {
    ui->KeyPress(ImGuiMod_Ctrl | ImGuiMod_Shift | ImGuiKey_P);
    ui->Yield(2);
    ui->KeyPress(ImGuiKey_DownArrow, 3);
    ui->KeyPress(ImGuiKey_UpArrow);
    CHECK(palette.picked == 2);
    CHECK(palette_open(story));
    ui->KeyPress(ImGuiKey_PageDown);
    CHECK(palette.picked > 2);
  });
}

TEST_CASE("a name among 1e5 is found without a frame that grows", "[window][keyboard]") {
  Story story;
  ready(story);
  story.show(many_snapshot(100'000));
  story.act([&](ImGuiTestContext* ui) {
    ui->KeyPress(ImGuiMod_Ctrl | ImGuiKey_G);
    ui->Yield(2);
    ui->KeyChars("data[99999]");
    ui->Yield(2);
    story.app().finish_background_work();
    ui->Yield(2);
    const auto& palette = story.app().panels().palette;
    IM_CHECK(palette.places != nullptr);
    CHECK(palette.places->places.size() <= app::kMaxPlaces);
    ui->KeyPress(ImGuiKey_Enter);
  });
  CHECK(selected_name(story.app()) == "data[99999]");
}

TEST_CASE("a single key is text in a text field and an action elsewhere", "[window][keyboard]") {
  Story story;
  ready(story);
  story.show(tour_snapshot());
  story.act([](ImGuiTestContext* ui) {
    ui->ItemClick("//Tensors/##filter");
    ui->KeyCharsReplace("?");
    ui->Yield(2);
  });
  CHECK_FALSE(story.app().panels().menu.show.shortcuts);
  story.act([](ImGuiTestContext* ui) {
    ui->WindowFocus("//Memory");
    ui->KeyCharsAppend("?");
    ui->Yield(2);
  });
  CHECK(story.app().panels().menu.show.shortcuts);
  story.act([](ImGuiTestContext* ui) {
    ui->WindowFocus("//Keys");
    ui->KeyPress(ImGuiKey_Escape);
    ui->Yield(2);
  });
  CHECK_FALSE(story.app().panels().menu.show.shortcuts);
}

TEST_CASE("F1 explains the item and the view under the mouse", "[window][keyboard]") {
  Story story;
  ready(story);
  story.show(tour_snapshot());
  const app::HelpCardState& help = story.app().panels().help;
  story.act([&](ImGuiTestContext* ui) {
    ui->WindowFocus("//Memory");
    ui->MouseMoveToPos(ui->ItemInfo("//Memory/$$1/lane").RectFull.GetCenter());
    ui->KeyPress(ImGuiKey_F1);
    CHECK(help.open);
    CHECK(help.about == app::ActionContext::memory);
    ui->KeyPress(ImGuiKey_F1);  // on the same thing once more
    CHECK_FALSE(help.open);
    ui->MouseMove("//Script/▶ Run");
    ui->KeyPress(ImGuiKey_F1);
    CHECK(help.about == app::ActionContext::script);
    CHECK(help.item.find("namespace") != std::string::npos);
    ui->KeyPress(ImGuiKey_Escape);
    ui->Yield();
    CHECK_FALSE(help.open);
  });
}

TEST_CASE("the log keeps what happened, also after its notice was dismissed", "[window]") {
  Story story;
  ready(story);
  story.show(tour_snapshot());
  story.app().add_notice(app::Tone::warn, "Something to know.");
  const app::Notices& notices = story.app().notices();
  story.app().commands().push(app::command::DismissNotice{notices.all().front().id});
  story.frames(2);
  CHECK(notices.all().empty());
  const std::string text = app::log_text(app::log_rows(notices, ""));
  CHECK(text.find(" is ready, as process ") != std::string::npos);
  CHECK(text.find("memory groups.\n") != std::string::npos);
  CHECK(text.find("  Something to know.\n") != std::string::npos);
  for (std::size_t i = 0; i < 2 * app::Notices::kMaxLogged; ++i) story.app().add_notice(app::Tone::plain, std::to_string(i));
  CHECK(notices.logged().size() == app::Notices::kMaxLogged);
  CHECK(notices.all().size() == app::Notices::kMax);
  story.act([](ImGuiTestContext* ui) { ui->WindowFocus("//Log"); });
  story.frames(2);
}

}  // namespace dlscope::tests
