// As of when, view by view: each says at the place where one looks whether what it shows is current, and compares nothing
// that is not.
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include <string>
#include <string_view>

#include "app/models/focus/focus_text.h"
#include "tests/app/window/stories/moment_story.h"

namespace dlscope::tests {
namespace {

bool has(std::string_view text, std::string_view words) { return text.find(words) != std::string_view::npos; }

void show(MomentStory& window, app::ActionContext panel) {
  window.app().panels().menu.show[panel] = true;
  window.story.frames(3);
  const std::string title = std::string("//") + app::title_of(panel);
  window.story.act([&](ImGuiTestContext* ui) { ui->WindowFocus(title.c_str()); });
  window.story.frames(3);
}

void hold_selected(MomentStory& window) {
  const core::wire::TensorRef ref{window.app().index()->snapshot->info.revision, window.app().selected()};
  window.story.host().events.emplace_back(app::HostEvent{app::HostLease{1, core::wire::LeaseState::held, true, ref, {}}});
  window.story.frames(2);
}

}  // namespace

TEST_CASE("bytes that may be another's are hatched beside each other, and none is marked as different", "[window][moment]") {
  MomentStory window;
  const app::ComparePanelState& panel = window.app().panels().compare;
  window.app().commands().push(app::command::CompareTensor{*window.app().index()->find("t")});
  show(window, app::ActionContext::compare);
  const bool as_list = GENERATE(false, true);
  window.app().panels().compare.as_list = as_list;
  window.memory->still = false;  // no two reads give the same bytes
  window.story.frames(2);
  const int cells = panel.drawn.marked;
  CHECK(cells > 0);
  CHECK(panel.drawn.hatched == 0);

  window.start();
  window.story.frames(3);
  CHECK(panel.drawn.marked == 0);
  CHECK(panel.drawn.hatched == cells);
  for (const auto* rows : {&panel.rows, &panel.grid.cells}) {
    for (const app::SideBySide& row : *rows) CHECK((!row.differs && row.difference.empty() && row.a.readable));
  }
  window.finish(tour_snapshot());
  show(window, app::ActionContext::compare);
  CHECK(panel.drawn.marked == cells);

  hold_selected(window);
  window.start();
  window.story.frames(3);
  CHECK(panel.drawn.hatched * 2 == cells);  // those of B alone
  CHECK(panel.drawn.marked == 0);
}

TEST_CASE("a folded head of the values says that the numbers are those of then, and has the way to those of now",
          "[window][moment]") {
  MomentStory window;
  window.story.resize(1280, 720);
  window.start();
  window.memory->fill = 9;  // freed, and written to by somebody else
  bool line = false, none = false;
  for (const float scale : {1.0F, 2.0F, 3.0F}) {
    for (const auto layout : {app::LayoutPreset::debug, app::LayoutPreset::teach, app::LayoutPreset::verify}) {
      window.app().commands().push(app::command::SetScale{scale});
      window.app().commands().push(app::command::SetLayout{layout});
      window.story.frames(6);
      show(window, app::ActionContext::values);
      const app::HeadForm head = window.values().head;
      const std::string text = window.story.text_of_frame();
      INFO(app::layout_name(layout) << " at " << scale << "\n" << text);
      CHECK(window.values().cells_read == 0);
      CHECK(has(text, head >= app::HeadForm::line ? "then: not held" : "shown: then"));
      none = none || head == app::HeadForm::none;
      if (head != app::HeadForm::line || line) continue;
      line = true;
      window.story.act([](ImGuiTestContext* ui) {
        ui->ItemClick("//Values/Show as …");
        ui->Yield(2);
        ui->ItemClick("//$FOCUSED/present bytes");
        ui->Yield(2);
      });
      CHECK(window.values().cells_read > 0);
      window.story.act([](ImGuiTestContext* ui) {
        ui->ItemClick("//$FOCUSED/then");
        ui->KeyPress(ImGuiKey_Escape);
      });
    }
  }
  CHECK(line);
  window.app().commands().push(app::command::SetScale{2});
  for (float height = 700; !none && height >= 280; height -= 20) {
    window.story.resize(700, height);
    window.story.frames(6);
    show(window, app::ActionContext::values);
    none = window.values().head == app::HeadForm::none;
  }
  REQUIRE(none);
  CHECK(has(window.story.text_of_frame(), "then: not held"));
}

TEST_CASE("what shares bytes is said as of a moment: while code runs a write changes nothing for certain", "[window][moment]") {
  MomentStory window;
  show(window, app::ActionContext::sharing);
  const std::string_view change = "Writing to one changes the other.", then = "Then: Writing to one changes the other.";
  const std::string before = window.story.text_of_frame();
  CHECK(has(before, change));
  CHECK_FALSE(has(before, then));
  window.start();
  show(window, app::ActionContext::sharing);
  const std::string running = window.story.text_of_frame();
  INFO(running);
  CHECK(has(running, then));
  const auto times = [&](std::string_view part) {
    std::size_t count = 0;
    for (auto at = running.find(part); at != std::string::npos; at = running.find(part, at + 1)) ++count;
    return count;
  };
  CHECK(times("as of run 1; run 2 is running") >= 4);  // the status bar, the table, the inspector, and here
  CHECK(times("Then: Writing to ") >= 2);              // here and in the inspector
  CHECK(times("Writing to ") == times("Then: Writing to "));
  window.app().panels().sharing.all_pairs = true;
  window.story.frames(2);
  CHECK(has(window.story.text_of_frame(), "as of run 1; run 2 is running"));
}

TEST_CASE("the status bar and the values give the same number of one element, and say which it is", "[window][moment]") {
  MomentStory window;
  window.app().commands().push(app::command::Pin{app::focus_on(*window.app().index(), window.app().selected(), 5)});
  window.story.frames(3);
  const std::string seen = window.values().cells[5].text;
  window.start();
  window.memory->fill = 9;  // freed, and written to by somebody else
  window.story.frames(3);
  REQUIRE(window.values().cells[5].text == seen);
  CHECK(has(window.story.text_of_frame(), seen + " (then; not held since run 2 began)"));
  window.story.act([](ImGuiTestContext* ui) { ui->ItemClick("//Values/present bytes"); });
  window.story.frames(3);
  REQUIRE(window.values().cells[5].text != seen);
  const std::string now = window.story.text_of_frame();
  CHECK(has(now, "(present bytes; not held since run 2 began)"));
  CHECK_FALSE(has(now, seen + " ("));

  restart(window.app());
  window.story.frames(2);
  window.story.host().ready();
  window.story.frames(3);
  CHECK(has(window.story.text_of_frame(), seen + " (then; its process has ended)"));  // there is nothing else to show
}

TEST_CASE("the layout says when other threads or windows may have freed what it decodes", "[window][moment]") {
  MomentStory window;
  window.app().panels().menu.show = {};
  show(window, app::ActionContext::layout);  // alone
  const std::string_view words = "others ran", whole = "live: other code runs";
  const auto count = [&] {
    const std::string text = window.story.text_of_frame();
    int out = 0;
    for (const std::string_view each : {words, whole})
      for (auto at = text.find(each); at != std::string::npos; at = text.find(each, at + 1)) ++out;
    return out;
  };
  CHECK(count() == 0);
  window.story.host().events.emplace_back(app::HostEvent{app::HostWindowsRan{}});
  window.story.frames(3);
  CHECK(count() == 1);
}

}  // namespace dlscope::tests
