// One story of a training run of real torch whose loss turns NaN. By hand, with the mouse and the keys: the NaN is found, the
// tensor is remembered, the run is repeated stop by stop, and the window says since when the NaN is there and what else changed.
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <TextEditor.h>
#include <fmt/format.h>
#include <imgui_internal.h>

#include <algorithm>
#include <fstream>
#include <string>
#include <utility>

#include "app/models/history/since_when.h"
#include "app/models/values/comparison_text.h"
#include "app/widgets/value_marks.h"
#include "tests/app/window/pictures/drawn_picture.h"
#include "tests/app/window/real/live_window.h"
#include "tests/app/window/stories/story_windows.h"

namespace dlscope::tests {
namespace {

using app::TensorFact;

constexpr std::uint64_t kSide = 4096, kStrip = 512, kBadRow = 2600, kBadColumn = 1234, kBad = kBadRow * kSide + kBadColumn;
constexpr std::uint64_t kLastStep = 6;  // of the run: its strip holds the broken pixel

// The line of the sample that begins with that text, counted from 1.
std::size_t line_with(const std::string& path, const std::string& text) {
  std::ifstream file(path);
  std::string line;
  for (std::size_t number = 1; std::getline(file, line); ++number) {
    if (line.find(text) != std::string::npos) return number;
  }
  FAIL("no line with " + text);
  return 0;
}

class Journey {
 public:
  Journey() : path(std::string(DLSCOPE_SAMPLES) + "/training_nan.py") {
    REQUIRE(window.app().load_script(path).has_value());
    story().frames(3);
  }
  [[nodiscard]] Story& story() { return window.story(); }
  [[nodiscard]] app::Application& app() { return window.app(); }
  [[nodiscard]] app::HeatmapPanelState& heatmap() { return app().panels().heatmap; }

  // ---- what a person does, each counted
  void click(const std::string& item) {
    story().act([&](ImGuiTestContext* ui) { ui->ItemClick(item.c_str()); });
    ++acts;
  }
  void press(ImGuiKeyChord key) {
    story().act([key](ImGuiTestContext* ui) { ui->KeyPress(key); });
    ++acts;
  }
  void click_gutter(std::size_t line) {
    app().panels().script.reveal_line = line - 1;
    story().frames(4);
    const TextEditor& editor = *app().panels().script.editor;
    const ImVec2 text = editor.DocPos2ScreenPos({line - 1, 0});
    const ImVec2 at{text.x - editor.GetGlyphWidth() * (static_cast<float>(editor.GetTextLeftMargin()) + 1),
                    text.y + editor.GetLineHeight() * 0.5F};
    story().act([=](ImGuiTestContext* ui) {
      ui->MouseMoveToPos(at);
      ui->MouseClick();
    });
    ++acts;
  }

  // ---- what is waited for
  [[nodiscard]] std::uint64_t stop_number() { return app().host().stop() ? app().host().stop()->at.stop : 0; }
  [[nodiscard]] bool stops(std::uint64_t after) {
    const bool stopped = story().wait_for([&] {
      return window.state() == app::HostState::stopped && stop_number() > after && app().moment().at_stop &&
             app().moment().since == app::Since::nothing;
    });
    story().frames(5);
    return stopped;
  }
  [[nodiscard]] bool remembers_newest() {
    return story().wait_for([&] {
      const auto kept = app().history().remembered->find(app().history().kept->newest()->number);
      return kept && !kept->with_bytes().empty();
    });
  }
  [[nodiscard]] bool picture_is_exact() {
    const bool exact = story().wait_for([&] { return heatmap().said.starts_with("computed on all"); });
    story().frames(3);
    return exact;
  }
  [[nodiscard]] ImVec2 middle_of_picture() {
    const ImVec2 from = heatmap().cells_from;
    const auto half = [](const app::AxisView& view) { return static_cast<float>(view.x_of(kSide / 2)); };
    return {from.x + half(heatmap().camera.columns), from.y + half(heatmap().camera.rows)};
  }
  // Just inside the cell's upper left corner.
  [[nodiscard]] std::uint32_t pixel(std::int64_t row, std::int64_t column) {
    return heatmap().texture.pixel(static_cast<int>(heatmap().camera.columns.x_of(column)) + 1,
                                   static_cast<int>(heatmap().camera.rows.x_of(row)) + 1);
  }
  [[nodiscard]] const app::SinceWhen* fact(TensorFact which) {
    const auto& since = app().history().answers->since;
    if (!since) return nullptr;
    const auto found = std::ranges::find(since->facts, which, &app::SinceWhen::fact);
    return found == since->facts.end() ? nullptr : &*found;
  }
  // The whole window, in both themes and at 100 and 200 %; afterwards as before.
  void save_pictures(const std::string& name) {
    for (const auto& [theme, themed] : {std::pair(app::ThemeChoice::dark, "dark"), std::pair(app::ThemeChoice::light, "light")}) {
      for (const float scale : {2.0F, 1.0F}) {  // the scale changes each time, and with it the theme is applied
        app().commands().push(app::command::SetTheme{theme});
        app().commands().push(app::command::SetScale{scale});
        for (int i = 0; i < 20; ++i) {
          app().finish_background_work();
          story().frames(3);
        }
        save_drawn_picture(fmt::format("j1-{}-{}-{:.0f}", name, themed, scale * 100));
      }
    }
    app().commands().push(app::command::SetTheme{app::ThemeChoice::dark});
    story().frames(10);
  }

  LiveWindow window;
  std::string path;
  int acts = 0;
};

}  // namespace

TEST_CASE("a training loss that turns NaN: found in fewer than six clicks and keys, then since when, and what else changed",
          "[window][host][heatmap][remember][compare][real]") {
  Journey j;
  app::Application& app = j.app();

  // ---- where is it?
  j.click("//Script/▶ Run");
  INFO(app.output().all_text());
  REQUIRE(j.stops(0));
  CHECK_THAT(app.output().all_text(), Catch::Matchers::ContainsSubstring("step 6: loss nan"));
  const auto map = app.index()->find("loss_map");
  REQUIRE(map.has_value());
  j.click("//Tensors/tensors/**/$$" + std::to_string(*map) + "/##row");
  REQUIRE(app.selected() == *map);
  j.click("//Heat map/#TAB");
  REQUIRE(j.picture_is_exact());
  const auto nan_ink = ImGui::GetColorU32(app::value_colour(app::theme_for(app.theme()), core::ValueClass::nan));
  CHECK(j.pixel(kBadRow, kBadColumn) == nan_ink);  // one of 16.7 million, seen at fit
  CHECK(j.pixel(3000, 1000) != nan_ink);
  // The head counts them without being asked to.
  REQUIRE(j.story().wait_for([&] {
    const app::TensorStatistics* const read = app.statistics().find(app.selected());
    return read != nullptr && read->exact();
  }));
  j.story().frames(2);
  CHECK_THAT(j.story().text_of_frame(),
             Catch::Matchers::ContainsSubstring("NaN 1    +Inf 0    -Inf 0    zero 4 194 304    subnormal 0"));
  j.press(ImGuiKey_N);
  REQUIRE(j.story().wait_for([&] { return app.pinned().element == kBad; }));
  CHECK(j.acts < 6);
  CHECK(app.pinned().bytes.begin == app.index()->tensor(*map).address + kBad * 4);
  const auto status = j.story().text_of_frame();  // index, address, value and raw bits
  CHECK_THAT(status, Catch::Matchers::ContainsSubstring("loss_map[2600, 1234]"));
  CHECK_THAT(status, Catch::Matchers::Matches("[^]*0x[0-9a-f ]+ = data \\+ 0 \\+ \\(2600·4096 \\+ 1234·1\\)·4[^]*"));
  CHECK_THAT(status, Catch::Matchers::Matches("[^]*nan = 0x[7f]fc00000[^]*"));
  j.press(ImGuiKey_0);
  REQUIRE(j.picture_is_exact());
  REQUIRE(j.story().wait_for([&] { return j.heatmap().numbers_written > 0; }));
  CHECK(j.pixel(kBadRow, kBadColumn) == nan_ink);
  CHECK(j.acts < 6);
  j.save_pictures("numbers");
  j.press(ImGuiKey_F);
  REQUIRE(j.picture_is_exact());
  j.save_pictures("fit");
  // Panned in the middle of the way: every frame has a picture, be it a coarser one.
  const ImVec2 middle = j.middle_of_picture();
  const auto nothing_ink = ImGui::GetColorU32(app::theme_for(app.theme()).panel);
  j.story().act([&](ImGuiTestContext* ui) {
    ui->MouseMoveToPos(middle);
    ui->MouseWheelY(6);
  });
  for (int step = 0; step < 6; ++step) {
    j.story().act([&](ImGuiTestContext* ui) {
      ui->MouseMoveToPos(middle);
      ui->MouseDown(0);
      ui->MouseMoveToPos({middle.x + (step % 2 == 0 ? 120.0F : -90.0F), middle.y + 40});
      ui->MouseUp(0);
    });
    j.story().frames(1);
    CHECK(j.heatmap().texture.pixel(200, 60) != nothing_ink);
  }
  CHECK(app.pinned().element == kBad);  // a drag pins nothing
  j.story().act([](ImGuiTestContext* ui) { ui->KeyPress(ImGuiKey_F); });
  REQUIRE(j.picture_is_exact());

  // ---- the counts, of every value
  j.click("//Statistics/#TAB");
  REQUIRE(j.story().wait_for([&] {
    const app::TensorStatistics* const read = app.statistics().find(app.selected());
    return read != nullptr && read->exact();
  }));
  const core::ValueSummary& counts = app.statistics().find(app.selected())->found->summary;
  CHECK((counts.count == kSide * kSide && counts.seen == counts.count));
  CHECK((counts.nan == 1 && counts.pos_inf == 0 && counts.neg_inf == 0 && counts.negative == 0 && counts.subnormal == 0));
  CHECK(counts.zero == (kSide - kLastStep * kStrip) * kSide);  // the strips that no step came to
  CHECK((counts.first_special.index == kBad && counts.last_special.index == kBad));
  j.save_pictures("statistics");

  // ---- since when? Remembered, and run again, stop by stop
  j.click("//Inspector/**/###remember");
  j.press(ImGuiKey_F5);
  REQUIRE(j.window.wait_for_state(app::HostState::idle));
  j.click_gutter(line_with(j.path, "loss = losses.mean()"));
  std::uint64_t at_step[kLastStep + 1] = {};
  std::uint64_t last_stop = j.stop_number();
  for (std::uint64_t step = 1; step <= kLastStep; ++step) {
    j.press(ImGuiKey_F5);
    REQUIRE(j.stops(last_stop));
    REQUIRE(j.remembers_newest());
    last_stop = j.stop_number();
    at_step[step] = app.history().shown;
  }
  j.press(ImGuiKey_F5);  // to the script's own breakpoint()
  REQUIRE(j.stops(last_stop));
  REQUIRE(j.remembers_newest());
  CHECK(app.selected() == app.index()->find("loss_map"));
  CHECK(app.pinned().element == kBad);

  app.panels().menu.show[app::ActionContext::history] = true;
  j.story().frames(3);
  bring_up(j.story(), "//History");
  j.click("//History/history tabs/Since when");
  REQUIRE(j.story().wait_for([&] { return j.fact(TensorFact::nan) != nullptr && j.fact(TensorFact::value) != nullptr; }));
  const app::SinceWhen nan = *j.fact(TensorFact::nan), value = *j.fact(TensorFact::value), bytes = *j.fact(TensorFact::bytes);
  CHECK(nan.is == "holds NaN");
  CHECK((nan.first == at_step[6] && nan.before == at_step[5]));
  CHECK(nan.element == kBad);
  CHECK_THAT(nan.detail, Catch::Matchers::StartsWith("1 NaN, no Inf there, the first NaN at [2600, 1234]"));
  CHECK((value.is == "[2600, 1234] is nan" && value.was == "0.0" && value.first == at_step[6]));
  CHECK((bytes.first == at_step[6] && bytes.before == at_step[5]));
  CHECK_THAT(bytes.was,
             Catch::Matchers::StartsWith("its bytes changed: 2 097 152 of 16 777 216 elements, first at [2560, 0]"));
  j.save_pictures("since-when");

  // ---- what else changed since the stop before?
  j.story().act([](ImGuiTestContext* ui) {
    ui->SetRef(ui->WindowInfo("//History/history tabs/Since when/since").ID);
    ui->ItemClick(fmt::format("$${}/Compare", static_cast<int>(TensorFact::bytes)).c_str());
  });
  ++j.acts;
  const app::ComparePanelState& panel = app.panels().compare;
  REQUIRE(j.story().wait_for([&] { return app.compared_sides().moment == at_step[5]; }));
  j.story().frames(3);
  if (!panel.found) {
    j.story().act([](ImGuiTestContext* ui) { ui->ItemClick("//Compare/**/Compare"); });
    REQUIRE(j.story().wait_for([&] { return panel.found.has_value(); }));
  }
  CHECK((panel.found->different == kStrip * kSide && panel.found->one_nan == 1 && panel.found->first == 5 * kStrip * kSide));
  const app::ComparisonPane& difference = panel.pictures.panes[2];
  REQUIRE(j.story().wait_for([&] { return difference.said == "computed on all 16 777 216 values"; }));
  j.story().frames(3);
  CHECK((difference.drawn.flags & core::kTexelNan) != 0);
  // Exactly the strip of the last step differs.
  const app::HeatmapStore& store = app.compared_sides().picture(app::ComparePicture::difference);
  const auto& level = difference.view.level;
  for (std::int64_t row = 0; row < static_cast<std::int64_t>(kSide); row += level.row_step()) {
    const std::int64_t texel = row >> level.down, across = (2000 >> level.across);
    const app::HeatmapTile* const tile = store.tile(level, texel / app::kTileSide, across / app::kTileSide);
    REQUIRE(tile != nullptr);
    const bool differs =
        (tile->flags(tile->index_of(texel % app::kTileSide, across % app::kTileSide)) & core::kTexelUnequal) != 0;
    REQUIRE(differs == (row >= 5 * 512 && row < 6 * 512));
  }
  j.save_pictures("compare");
  // Seen without scrolling also where everything is twice as large.
  app.commands().push(app::command::SetScale{2});
  j.story().frames(10);
  const ImGuiWindow* const seen = ImGui::FindWindowByName(app::title_of(app::ActionContext::compare));
  REQUIRE(seen != nullptr);
  for (const app::ComparisonPane& one : panel.pictures.panes)
    CHECK((one.cells_to.y <= seen->InnerClipRect.Max.y && one.cells_to.y - one.cells_from.y > 2 * ImGui::GetFontSize()));
  app.commands().push(app::command::SetScale{1});
  j.story().frames(10);
  CHECK(j.acts < 20);  // with the second run, stop by stop

  j.press(ImGuiKey_F5);
  CHECK(j.window.wait_for_state(app::HostState::idle));
  CHECK(app.outcome().outcome == core::Outcome::finished);
}

}  // namespace dlscope::tests
