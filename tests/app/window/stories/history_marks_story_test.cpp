// Looking back, and what stays true of it: the marks against a chosen moment, and pictures of what was remembered.
#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <string>
#include <vector>

#include "core/inventory/kept_bytes.h"
#include "core/wire/remembered_answer.h"
#include "tests/app/window/stories/history_story.h"

namespace dlscope::tests {
namespace {

// The history is in front, and the table's marks compare with the first moment.
struct MarkedStory : HistoryStory {
  MarkedStory() {
    bring_up(story, "//History");
    settle();
    app().panels().history.base = 1;
    set_marks(true);
  }
  // Ticks the box, or takes the tick away.
  void set_marks(bool on) {
    app().panels().history.marks = on;
    story.frames(1);
    settle();
  }
  // What the marks on the screen compare with: "run 1"; "": the run before.
  [[nodiscard]] std::string against() {
    const std::string& message = app().index()->marks.against.message;
    return message.substr(0, message.find(','));
  }
};

// Answers the question what waits to be fetched: x of the second run, as it was then.
void announce_x(HistoryStory& window) {
  const auto& asked = window.story.host().questions;
  const auto question = std::ranges::find(asked.rbegin(), asked.rend(), "remember", &FakeHost::Question::kind);
  REQUIRE(question != asked.rend());
  const core::TensorRecord& x = window.app().index()->tensor(*window.app().index()->find("x"));
  const std::vector<std::byte> bytes(static_cast<std::size_t>(x.extent.size()), static_cast<std::byte>(window.memory->fill));
  window.story.host().answer(
      *question,
      core::wire::encode(std::vector<core::wire::WaitingCopy>{
          {.id = 1,
                           .revision = window.app().index()->snapshot->info.revision,
                           .tensor = *window.app().index()->find("x"),
                           .name = "x",
                           .begin = x.extent.begin,
                           .at = 4096,
                           .size = bytes.size(),
                           .check = core::hash_of_bytes(bytes),
                           .ran = core::wire::RanMeanwhile::no,
                           .why_not = ""}}));
  window.story.frames(2);
  window.settle();
}

}  // namespace

TEST_CASE("marks against a chosen moment stay as long as the box is ticked: through runs and on the way back",
          "[window][history]") {
  MarkedStory window;
  CHECK(window.against() == "run 1");
  window.run(kSecond);
  CHECK(window.against() == "run 1");
  CHECK(window.app().index()->marks.fresh == 1);
  window.look_at(2);
  CHECK(window.against() == "run 1");
  window.run(kSecond);  // waits
  CHECK(window.against() == "run 1");
  window.look_at(0);
  CHECK(window.app().index()->snapshot->info.run == 4);
  CHECK(window.against() == "run 1");
}

TEST_CASE("taking the tick away while looking back takes the marks away of now, too", "[window][history]") {
  MarkedStory window;
  window.look_at(2);
  CHECK(window.against() == "run 1");
  window.set_marks(false);
  CHECK(window.against().empty());
  window.look_at(0);
  CHECK(window.against().empty());
  window.look_at(2);
  window.set_marks(true);
  window.look_at(0);
  CHECK(window.against() == "run 1");
}

TEST_CASE("the table has no marks against a later moment: new and gone would change places", "[window][history]") {
  MarkedStory window;
  window.run(kSecond);
  window.look_at(1);  // compared with is run 2
  CHECK(window.against().empty());
  CHECK(window.app().index()->marks.gone.empty());
  window.app().panels().history.base = 2;
  window.settle();
  CHECK(window.against().empty());
  window.app().panels().history.base = 1;
  window.look_at(0);
  window.settle();
  CHECK(window.against() == "run 1");
}

TEST_CASE("the heat map of a remembered tensor is exported as it was then", "[window][history][remember][heatmap]") {
  HistoryStory window;
  window.app().commands().push(app::command::RememberTensor{.how = app::Remember::bytes});
  window.story.frames(2);
  announce_x(window);
  window.run(kFirst);
  window.look_at(2);
  REQUIRE(window.app().held().contains(window.app().selected()));
  bring_up(window.story, "//Heat map");
  for (int i = 0; i < 4; ++i) window.settle();
  CHECK(window.app().panels().heatmap.said.starts_with("computed on all 6 values"));
  window.app().commands().push(app::command::ExportHeatmap{});
  window.story.frames(2);
  const auto picture = window.app().take_heatmap_picture();
  REQUIRE(picture);
  CHECK(picture->text[1].second.find("Then: as of run 2.\n") != std::string::npos);
}

}  // namespace dlscope::tests
