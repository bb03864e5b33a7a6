// Remembered tensors with a real Python: their values as they were at earlier stops, what changed and where, since when there is a NaN.
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <set>
#include <string>

#include "app/models/history/since_when.h"
#include "tests/app/window/stories/debugged_window.h"
#include "tests/app/window/stories/story_windows.h"

namespace dlscope::tests {
namespace {

using app::TensorFact;
using app::TensorState;

constexpr const char* kTraining =
    "import numpy as np\n"        // 1
    "w = np.zeros((4, 8))\n"      // 2
    "for step in range(6):\n"     // 3
    "    w += 1.0\n"              // 4
    "    if step == 3:\n"         // 5
    "        w[2, 5] = np.nan\n"  // 6
    "print('over')\n";            // 7

// The script at each of its six stops, w remembered from the first one on, and then at its end.
class Remembering : public Debugged {
 public:
  Remembering() : Debugged(kTraining) {
    breakpoint_at(5);
    press(ImGuiKey_F5);
    REQUIRE(wait_for_stop());
    app().select("w");
    window.story().frames(2);
    app().commands().push(app::command::Ask{app::ActionId::memory_remember});
    first = app().history().shown;
    REQUIRE(wait_for_bytes());
    for (int stop = 1; stop < 6; ++stop) {
      const std::uint64_t before = this->stop().at.stop;
      press(ImGuiKey_F5);
      REQUIRE(wait_for_stop(before));
      REQUIRE(wait_for_bytes());
    }
    press(ImGuiKey_F5);
    REQUIRE(ends());
    REQUIRE(wait_for_bytes());
  }
  [[nodiscard]] app::Application& app() { return window.app(); }
  // Of the moment that is shown.
  [[nodiscard]] bool wait_for_bytes() {
    return window.story().wait_for([&] {
      const auto kept = app().history().remembered->find(app().history().kept->newest()->number);
      return kept && !kept->with_bytes().empty();
    });
  }
  void look_at(std::uint64_t moment) {
    app().commands().push(app::command::ShowMoment{moment});
    REQUIRE(window.story().wait_for([&] { return app().history().shown == moment; }));
    window.story().frames(4);
  }
  [[nodiscard]] std::string first_cell() {
    const auto& cells = app().panels().values.cells;
    return cells.empty() ? std::string() : cells.front().text;
  }
  [[nodiscard]] const app::SinceWhen* fact(TensorFact which) {
    const auto& since = app().history().answers->since;
    if (!since) return nullptr;
    const auto found = std::ranges::find(since->facts, which, &app::SinceWhen::fact);
    return found == since->facts.end() ? nullptr : &*found;
  }
  std::uint64_t first = 0;
};

// The comparison that "Compare" in the history leads to.
class HistoryLink : public Remembering {
 public:
  HistoryLink() {
    app().panels().menu.show[app::ActionContext::history] = true;
    story().frames(3);
  }
  [[nodiscard]] Story& story() { return window.story(); }
  void show_differences(std::uint64_t base) {
    bring_up(story(), "//History");
    story().act([](ImGuiTestContext* ui) { ui->ItemClick("//History/history tabs/Differences"); });
    app().panels().history.base = base;
    REQUIRE(story().wait_for([&] {
      const app::HistoryView view = app().history();
      const auto& found = view.answers->differences;
      return found && found->before->number == std::min(base, view.shown) && found->now->number == std::max(base, view.shown) &&
             view.answers->difference_query.remembered == view.remembered->revision();
    }));
    story().frames(3);
  }
  [[nodiscard]] bool has_link() {
    bool exists = false;
    story().act([&](ImGuiTestContext* ui) { exists = ui->ItemExists("//History/**/Compare"); });
    return exists;
  }
  void follow_link() {
    story().act([](ImGuiTestContext* ui) { ui->ItemClick("//History/**/Compare"); });
    story().frames(3);
  }
  // Until as many elements differ from how it was at that moment.
  [[nodiscard]] bool differs(std::uint64_t moment, std::uint64_t elements) {
    const app::ComparePanelState& panel = app().panels().compare;
    return story().wait_for(
        [&] { return app().compared_sides().moment == moment && panel.found && panel.found->different == elements; });
  }
  void run(const std::string& text) {
    std::ofstream(folder / "other.py") << text;
    app().commands().push(app::command::RemoveAllBreakpoints{});
    REQUIRE(app().load_script(folder / "other.py").has_value());
    story().frames(3);
    press(ImGuiKey_F5);
  }
};

}  // namespace

TEST_CASE("where the history says which bytes changed, one click leads to the comparison",
          "[window][host][debug][remember][compare]") {
  HistoryLink d;
  app::Application& app = d.app();
  d.show_differences(d.first + 5);
  CHECK_FALSE(d.has_link());  // nothing was written since
  d.show_differences(d.first + 2);
  app.commands().push(app::command::SelectTensor{core::kNone32});
  d.story().frames(2);
  REQUIRE(app.selected() == core::kNone32);
  d.follow_link();
  REQUIRE(d.differs(d.first + 2, 32));
  CHECK(app.panels().compare.found->absolute.size == 3);
  CHECK(app.selected() == app.index()->find("w"));

  // Since when its bytes are these: against the moment before.
  bring_up(d.story(), "//History");
  d.story().act([](ImGuiTestContext* ui) { ui->ItemClick("//History/history tabs/Since when"); });
  REQUIRE(d.story().wait_for([&] { return d.fact(TensorFact::bytes) != nullptr; }));
  d.story().act([](ImGuiTestContext* ui) {
    ui->SetRef(ui->WindowInfo("//History/history tabs/Since when/since").ID);
    ui->ItemClick(fmt::format("$${}/Compare", static_cast<int>(TensorFact::bytes)).c_str());
  });
  REQUIRE(d.differs(d.first + 4, 31));  // the NaN was there

  // While one looks back, that moment is held against an earlier one, and against a later one.
  d.look_at(d.first + 3);
  d.show_differences(d.first);
  d.follow_link();
  REQUIRE(d.differs(d.first, 32));
  CHECK(app.panels().compare.found->absolute.size == 3);
  d.show_differences(d.first + 4);
  d.follow_link();
  REQUIRE(d.differs(d.first + 4, 32));
  CHECK(app.panels().compare.found->one_nan == 1);
}

TEST_CASE("the comparison that the history leads to stays true when Python restarts, crashes, and another script runs",
          "[window][host][debug][remember][compare]") {
  HistoryLink d;
  app::Application& app = d.app();
  const std::uint64_t newest = app.history().shown;
  restart(app);
  REQUIRE(
      d.story().wait_for([&] { return d.window.state() == app::HostState::idle && app.moment().since != app::Since::nothing; }));
  d.show_differences(d.first + 2);
  REQUIRE(d.has_link());
  d.follow_link();
  REQUIRE(d.story().wait_for([&] { return app.compared_sides().moment == d.first + 2 && app.compared_sides().both(); }));
  CHECK_FALSE(app.compared_sides().b.why_not.empty());  // what is shown was of the Python that is gone

  // Another script has a w of that shape: it is held against what the first one's was.
  d.run("import numpy as np\nw = np.full((4, 8), 3.0)\nw[1, 1] = 7\n");
  REQUIRE(d.story().wait_for([&] { return app.history().shown > newest && d.ends(); }));
  REQUIRE(d.wait_for_bytes());
  d.show_differences(d.first + 2);
  d.follow_link();
  REQUIRE(d.differs(d.first + 2, 1));
  CHECK(app.compared_sides().own());

  // It crashes: what is shown is the look before that, and says why it is not read.
  const std::uint64_t before_crash = app.history().shown;
  d.run("import os\nos.abort()\n");
  REQUIRE(d.window.wait_for_state(app::HostState::crashed));
  d.story().frames(5);
  REQUIRE(app.history().shown == before_crash);
  d.show_differences(d.first + 2);
  d.follow_link();
  REQUIRE(d.story().wait_for([&] { return app.compared_sides().moment == d.first + 2 && app.compared_sides().both(); }));
  CHECK((!app.compared_sides().b.why_not.empty() || !app.compared_sides().own()));

  // A w of another shape has no bytes to compare.
  d.run("import numpy as np\nw = np.ones((3, 3))\n");
  REQUIRE(d.story().wait_for([&] { return app.history().shown > before_crash && d.ends(); }));
  REQUIRE(d.wait_for_bytes());
  d.show_differences(d.first + 2);
  CHECK_FALSE(d.has_link());
}

TEST_CASE("a remembered tensor shows its values as they were at each stop", "[window][host][debug][remember]") {
  Remembering d;
  app::Application& app = d.app();
  app.panels().menu.show[app::ActionContext::values] = true;
  for (std::uint64_t stop = 0; stop < 6; ++stop) {
    d.look_at(d.first + stop);
    const std::uint32_t w = app.index()->find("w").value();
    CHECK(app::state_of(app.moment(), app.held().contains(w)) == TensorState::remembered);
    REQUIRE(d.window.story().wait_for([&] { return d.first_cell() == std::to_string(stop + 1) + ".0"; }));
  }
  const auto kept = app.history().remembered->find(d.first + 4);
  REQUIRE(kept);
  CHECK(kept->tensors.front().values.nan == 1);
  CHECK(kept->tensors.front().ran == app::RanMeanwhile::no);
  CHECK(app.history().remembered->find(d.first + 3)->tensors.front().values.nan == 0);
  // Statistics and heat map are of then, too.
  d.look_at(d.first + 1);
  app.commands().push(app::command::ComputeStatistics{app.index()->find("w").value()});
  d.window.story().frames(2);
  app.commands().push(app::command::ShowMoment{});
  d.window.story().frames(4);
  REQUIRE(d.window.story().wait_for([&] { return d.first_cell() == "6.0"; }));
}

TEST_CASE("after looking back, the heat map is of the newest moment again", "[window][host][remember][heatmap]") {
  LiveWindow window;
  Story& story = window.story();
  const app::HeatmapPanelState& panel = window.app().panels().heatmap;
  const auto newest = [&] { return window.app().history().kept->newest()->number; };
  const auto is_exact = [&] { return panel.said.starts_with("computed on all 16 values"); };
  const auto run = [&](int value) {
    window.run(fmt::format("import numpy as np\nx = np.full((4, 4), {}, 'f4')\nx[3, 3] = 0\nx[3, 2] = 9\n", value));
    story.frames(2);
    REQUIRE(story.wait_for(is_exact));
    story.frames(2);
    return panel.texture.pixel(4, 4);
  };
  window.run("import numpy as np\nx = np.zeros((4, 4), 'f4')\n");
  window.app().select("x");
  story.frames(2);
  window.app().commands().push(app::command::Ask{app::ActionId::memory_remember});
  bring_up(story, "//Heat map");
  for (int value = 1; value < 3; ++value) {
    run(value);
    REQUIRE(story.wait_for([&] {
      const auto kept = window.app().history().remembered->find(newest());
      return kept && !kept->with_bytes().empty();
    }));
  }
  const ImU32 now = run(3);
  const std::uint64_t last = newest();
  for (const std::uint64_t moment : {last - 1, last - 2, last - 1}) {
    window.app().commands().push(app::command::ShowMoment{moment});
    REQUIRE(story.wait_for([&] { return window.app().history().shown == moment; }));
    story.frames(2);
    REQUIRE(story.wait_for(is_exact));
    story.frames(2);
    CHECK(panel.texture.pixel(4, 4) != now);
  }
  story.act([](ImGuiTestContext* ui) { ui->KeyPress(ImGuiKey_Escape); });
  REQUIRE(story.wait_for([&] { return window.app().moment().since == app::Since::nothing; }));
  story.frames(3);
  CHECK(panel.texture.pixel(4, 4) == now);
}

TEST_CASE("the history says which bytes changed, and since when a tensor holds NaN", "[window][host][debug][remember]") {
  Remembering d;
  app::Application& app = d.app();
  const std::uint64_t newest = app.history().shown;
  app.commands().push(app::command::FindDifferences{{d.first, d.first + 1, app.history().remembered->revision(), {}, {}}});
  REQUIRE(d.window.story().wait_for([&] { return app.history().answers->differences != nullptr; }));
  const app::SnapshotDifferences& all = *app.history().answers->differences;
  REQUIRE(all.count(app::Change::bytes) == 1);
  const auto changed =
      std::ranges::find_if(all.tensors, [](const auto& t) { return t.changes[static_cast<std::size_t>(app::Change::bytes)]; });
  // It may go on: "(read while another thread ran)", for which a library's own threads suffice.
  CHECK_THAT(difference_text(all, *changed),
             Catch::Matchers::StartsWith("its bytes changed: 32 of 32 elements, first at [0, 0]"));

  const std::uint32_t w = app.index()->find("w").value();
  app.commands().push(app::command::FindSinceWhen{
      {newest, app.history().kept->revision(), app.history().remembered->revision(), w, core::kNone32, 21}});
  REQUIRE(d.window.story().wait_for([&] { return d.fact(TensorFact::nan) != nullptr; }));
  const app::SinceWhen& nan = *d.fact(TensorFact::nan);
  CHECK(nan.is == "holds NaN");
  CHECK(nan.first == d.first + 4);
  CHECK(nan.before == d.first + 3);
  CHECK(nan.element == 21U);
  CHECK(nan.detail == "1 NaN, no Inf there, the first NaN at [2, 5]");
  const app::SinceWhen& value = *d.fact(TensorFact::value);
  CHECK(value.is == "[2, 5] is nan");
  CHECK(value.was == "4.0");
  CHECK(value.first == d.first + 4);
  const app::SinceWhen& bytes = *d.fact(TensorFact::bytes);
  CHECK(bytes.first == d.first + 5);  // nothing was written after the last stop
  CHECK_THAT(bytes.was, Catch::Matchers::StartsWith("its bytes changed: 31 of 32 elements, first at [0, 0]"));
}

TEST_CASE("a remembered tensor is compared with how it was at an earlier stop, as numbers and as a picture",
          "[window][host][debug][remember][compare]") {
  Remembering d;
  app::Application& app = d.app();
  Story& story = d.window.story();
  app.select("w");
  app.panels().compare.as_pictures = true;
  app.commands().push(app::command::CompareWithMoment{d.first + 2});  // the third stop: everything is 3
  story.frames(3);
  story.act([](ImGuiTestContext* ui) { ui->WindowFocus("//Compare"); });
  const app::ComparePanelState& panel = app.panels().compare;
  REQUIRE(story.wait_for([&] { return panel.found.has_value(); }));
  CHECK((panel.found->different == 32 && panel.found->one_nan == 1 && panel.found->first == 0u));
  CHECK(panel.found->absolute.size == 3);  // 6 now
  const app::ComparisonPane& difference = panel.pictures.panes[2];
  REQUIRE(story.wait_for([&] { return difference.said == "computed on all 32 values"; }));
  CHECK((difference.range.low == -3 && difference.range.high == 3));
  CHECK((difference.drawn.flags & core::kTexelNan) != 0);
  CHECK(panel.pictures.panes[0].drawn.high == 3);
  CHECK(panel.pictures.panes[1].drawn.high == 6);
  CHECK_THAT(app.compared_sides().a.when, Catch::Matchers::ContainsSubstring("stop at "));

  // By its action: the newest moment before the one that is shown. There only the NaN differs from what is left at the end.
  app.commands().push(app::command::Ask{app::ActionId::compare_remembered});
  story.frames(3);
  REQUIRE(
      story.wait_for([&] { return app.compared_sides().moment == d.first + 5 && panel.found && panel.found->different == 0; }));
  CHECK(panel.found->both_nan == 1);

  // While one looks back, that moment is B.
  d.look_at(d.first + 3);
  app.commands().push(app::command::CompareWithMoment{d.first});
  story.frames(3);
  REQUIRE(story.wait_for([&] { return panel.found && panel.found->absolute.size == 3 && panel.found->one_nan == 0; }));

  // Code that runs makes what is shown of now another matter; how it was stays.
  app.commands().push(app::command::ShowMoment{});
  story.frames(4);
  app.commands().push(app::command::CompareWithMoment{d.first});
  story.frames(3);
  CHECK(app.compared_sides().a.own);
  restart(app);
  REQUIRE(story.wait_for([&] { return !app.compared_sides().b.why_not.empty(); }));
  CHECK_FALSE(app.compared_sides().may_be_read());
  story.frames(3);
  app.commands().push(app::command::CompareTensor{app.selected()});  // one chooses another pair
  app.commands().push(app::command::CompareWithMoment{});
  story.frames(2);
  CHECK(app.compared_sides().moment == 0);
}

TEST_CASE("the loss map of 4096 x 4096 at stop 7 against stop 5: exactly the changed cells, the first listed",
          "[window][host][debug][remember][compare]") {
  Debugged d(
      "import numpy as np\n"                                  // 1
      "loss = np.ones((4096, 4096), dtype=np.float32)\n"      // 2
      "for step in range(8):\n"                               // 3
      "    if step == 6:\n"                                   // 4
      "        loss[3000, 1234] = np.nan\n"                   // 5
      "    if step == 7:\n"                                   // 6
      "        loss[17, 4000] = 1 + 2**-20\n"                 // 7
      "        loss[2222, 1] = 2\n"                           // 8
      "    seen = step\n"                                     // 9
      "print('over')\n");                                     // 10
  app::Application& app = d.window.app();
  Story& story = d.window.story();
  d.breakpoint_at(9, "step >= 5");
  d.press(ImGuiKey_F5);
  REQUIRE(d.wait_for_stop());
  app.select("loss");
  story.frames(2);
  app.commands().push(app::command::Ask{app::ActionId::memory_remember});
  const std::uint64_t at_5 = app.history().shown;
  const auto is_kept = [&] {
    const auto kept = app.history().remembered->find(app.history().kept->newest()->number);
    return kept && !kept->with_bytes().empty();
  };
  REQUIRE(story.wait_for(is_kept));
  for (int stop = 6; stop <= 7; ++stop) {
    const std::uint64_t before = d.stop().at.stop;
    d.press(ImGuiKey_F5);
    REQUIRE(d.wait_for_stop(before));
    REQUIRE(story.wait_for(is_kept));
  }
  app.commands().push(app::command::CompareWithMoment{at_5});
  story.frames(3);
  story.act([](ImGuiTestContext* ui) { ui->WindowFocus("//Compare"); });
  const app::ComparePanelState& panel = app.panels().compare;
  const app::ComparisonPane& difference = panel.pictures.panes[2];
  REQUIRE(story.wait_for(
      [&] { return difference.said == "computed on all 16 777 216 values"; }));  // pictures, of so many by themselves
  const std::uint64_t changed[] = {17 * 4096 + 4000, 2222 * 4096 + 1, 3000 * 4096 + 1234};
  // Every texel of the picture with a pair that differs holds one of them, and each has one.
  const app::HeatmapStore& store = app.compared_sides().picture(app::ComparePicture::difference);
  std::set<std::uint64_t> shown;
  int unequal = 0;
  for (std::int64_t row = 0; row < 4096; row += difference.view.level.row_step()) {
    for (std::int64_t column = 0; column < 4096; column += difference.view.level.column_step()) {
      const std::int64_t texel_row = row >> difference.view.level.down, texel_column = column >> difference.view.level.across;
      const app::HeatmapTile* const tile =
          store.tile(difference.view.level, texel_row / app::kTileSide, texel_column / app::kTileSide);
      REQUIRE(tile != nullptr);
      if ((tile->flags(tile->index_of(texel_row % app::kTileSide, texel_column % app::kTileSide)) & core::kTexelUnequal) == 0)
        continue;
      ++unequal;
      for (const std::uint64_t element : changed) {
        const auto at_row = static_cast<std::int64_t>(element / 4096), at_column = static_cast<std::int64_t>(element % 4096);
        if (at_row >> difference.view.level.down == texel_row && at_column >> difference.view.level.across == texel_column)
          shown.insert(element);
      }
    }
  }
  CHECK((unequal == 3 && shown.size() == 3));
  story.act([](ImGuiTestContext* ui) { ui->ItemClick("//Compare/**/Compare"); });
  REQUIRE(story.wait_for([&] { return panel.found.has_value(); }));
  CHECK((panel.found->different == 3 && panel.found->one_nan == 1 && panel.found->first == changed[0]));
  for (const std::uint64_t element : changed) {
    d.press(ImGuiKey_N);
    REQUIRE(story.wait_for([&] { return app.pinned().element == element; }));
  }
  CHECK(app.pinned().tensor == app.selected());
  // The script goes on: what is shown of now is of the stop, and says so.
  d.press(ImGuiKey_F5);
  REQUIRE(d.ends());
  REQUIRE(story.wait_for([&] { return difference.said == "computed on all 16 777 216 values"; }));
}

TEST_CASE("what was not remembered cannot be compared with how it was, and that is said",
          "[window][host][debug][remember][compare]") {
  Debugged d("import numpy as np\nw = np.zeros(4)\nv = np.ones(4)\n");
  d.press(ImGuiKey_F5);
  REQUIRE(d.window.story().wait_for([&] { return d.window.app().index() && d.window.app().index()->find("w"); }));
  d.window.app().select("w");
  d.window.story().frames(2);
  d.window.app().commands().push(app::command::Ask{app::ActionId::compare_remembered});
  d.window.story().frames(3);
  CHECK(d.window.app().compared_sides().moment == 0);
  CHECK_THAT(d.window.app().notices().all().back().text,
             Catch::Matchers::ContainsSubstring("w cannot be compared with an earlier moment"));
}

}  // namespace dlscope::tests
