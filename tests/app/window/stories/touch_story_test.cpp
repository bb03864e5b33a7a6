// How often the bytes of a large tensor are reached, in the window: counted beside the frames, shown when it is known.
#include <catch2/catch_test_macros.hpp>

#include <string>

#include "tests/app/window/stories/story_windows.h"
#include "tests/support/sample_snapshot.h"

namespace dlscope::tests {
namespace {

app::LayoutPanelState& view(Story& story) { return story.app().panels().layout; }

SampleTensor windows(const char* name, std::int64_t count, core::Address address) {
  return {.name = name, .address = address, .shape = {count, 3}, .strides = {1, 1}};
}

std::string distinct_meaning(Story& story) {
  const app::Inspection* const page = story.app().panels().inspector.shown.last();
  if (page == nullptr) return {};
  for (const app::Section& section : page->sections) {
    for (const app::Field& field : section.fields) {
      if (field.label == "distinct") return field.meaning;
    }
  }
  return {};
}

}  // namespace

TEST_CASE("how often the bytes of large windows are reached is counted while frames are drawn, and then said and drawn",
          "[window][layout][touch]") {
  Story story;
  story.frames(2);
  story.show(snapshot_of({{.name = "plain", .address = 0x558120000000, .shape = {12}},
                          windows("large", 3'000'000, 0x558130000000),
                          windows("huge", std::int64_t{1} << 28, 0x7f3a00000000)}));  // 1 GiB
  story.app().select("plain");
  story.act([](ImGuiTestContext* ui) { ui->KeyPress(ImGuiMod_Ctrl | ImGuiKey_2); });
  story.frames(6);

  story.app().select("large");
  story.frames(1);  // the first frame with it: nothing has been counted yet
  CHECK(view(story).reach_words == "How often each byte is reached is being counted …");
  CHECK(view(story).drawn.reach_pieces == 1);  // one, hatched
  CHECK(distinct_meaning(story).ends_with("is being counted …"));
  REQUIRE(story.wait_for([&] { return view(story).reach_words.starts_with("8 B are reached once"); }));
  CHECK(view(story).reach_words == "8 B are reached once, 8 B twice and 11.4 MiB 3 times.");
  CHECK(distinct_meaning(story).ends_with("8 B twice and 11.4 MiB 3 times."));

  // One that takes long: listed with Cancel, the window goes on, and Cancel ends it.
  story.app().select("huge");
  story.frames(2);
  REQUIRE(story.app().tasks().open_count() == 1);
  CHECK(story.app().tasks().all().back().title == "Counting how often the bytes of huge are reached");
  bring_up(story, "//Tasks");
  CHECK(story.text_of_frame().find("Counting how often the bytes of huge are reached") != std::string::npos);
  story.act([](ImGuiTestContext* ui) { ui->ItemClick("//Tasks/**/Cancel"); });
  REQUIRE(story.wait_for([&] { return story.app().tasks().open_count() == 0; }));
  bring_up(story, "//Layout");
  story.frames(2);
  CHECK(view(story).reach_words.find("was cancelled") != std::string::npos);
  CHECK(distinct_meaning(story).find("was cancelled") != std::string::npos);

  // Counted before: said at once.
  story.app().select("large");
  story.frames(1);
  CHECK(view(story).reach_words.starts_with("8 B are reached once"));
}

}  // namespace dlscope::tests
