// The inspector as a person uses it: selects, reads, hovers, folds, copies; Python busy, gone, asked and stopped.
#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <string>

#include "tests/app/window/stories/story.h"
#include "tests/support/sample_answers.h"
#include "tests/support/sample_snapshot.h"

namespace dlscope::tests {
namespace {

const std::string kRaw = core::wire::encode(sample_struct_answer());
const std::string kProtocols = core::wire::encode(sample_protocols_answer());

const app::Section* section(Story& story, const char* key) {
  const auto* shown = story.app().panels().inspector.shown.last();
  if (shown == nullptr) return nullptr;
  const auto found = std::ranges::find(shown->sections, std::string_view(key), &app::Section::key);
  return found == shown->sections.end() ? nullptr : &*found;
}

void select(Story& story, const char* name) {
  story.app().select(name);
  story.frames(3);
}

// What was asked last is answered.
void answer(Story& story, const std::string& text, const char* error = "") {
  REQUIRE_FALSE(story.host().questions.empty());
  story.host().answer(story.host().questions.back(), text, error);
  story.frames(3);
}

void with_tour(Story& story) {
  story.host().found_python();
  story.host().ready();
  story.frames(2);
  story.show(tour_snapshot());
}

}  // namespace

TEST_CASE("selecting a tensor asks Python for its struct, once, and shows the bytes when they come", "[window]") {
  Story story;
  with_tour(story);
  select(story, "x");
  REQUIRE(story.host().questions.size() == 1);
  CHECK(story.host().questions[0].kind == "struct");
  CHECK(section(story, "struct")->note.find("Asking Python") != std::string::npos);
  answer(story, kRaw);
  REQUIRE(story.host().questions.size() == 2);
  CHECK(story.host().questions[1].kind == "protocols");
  answer(story, kProtocols);
  const app::Section* card = section(story, "struct");
  REQUIRE(card != nullptr);
  const auto data = std::ranges::find(card->fields, std::string_view("data"), &app::Field::label);
  REQUIRE(data != card->fields.end());
  CHECK(data->bytes == "+32  80 4a 40 2e 81 55 00 00");
  CHECK(section(story, "protocols")->fields[0].value.starts_with("answers"));
  story.frames(10);
  CHECK(story.host().questions.size() == 2);
}

TEST_CASE("without a Python, and after it went, the page says what it lacks and asks nobody", "[window]") {
  Story story;
  with_tour(story);
  select(story, "x");
  story.host().events.emplace_back(app::HostEvent{app::HostEnded{3, {}, {}}});
  story.frames(4);
  const std::size_t asked = story.host().questions.size();
  select(story, "y");
  CHECK(section(story, "struct")->note.find("the Python they came from is gone") != std::string::npos);
  CHECK(story.host().questions.size() == asked);
}

TEST_CASE("what must not be asked unasked is asked when the person says so", "[window]") {
  Story story;
  with_tour(story);
  select(story, "x");
  core::wire::StructAnswer raw;
  raw.found = true;
  raw.not_called = "asking computes the array";
  answer(story, encode(raw));
  answer(story, encode(core::wire::ProtocolsAnswer{true, false, raw.not_called, {}}));
  const std::size_t asked = story.host().questions.size();
  story.act([](ImGuiTestContext* ui) { ui->ItemClick("//Inspector/protocols/Describe anyway"); });
  story.frames(3);
  REQUIRE(story.host().questions.size() == asked + 1);
  CHECK(story.host().questions.back().text.find("\"anyway\":true") != std::string::npos);
}

TEST_CASE("every broken tensor has a page, with words beside the fields and without", "[window]") {
  Story story;
  story.host().found_python();
  story.host().ready();
  story.show(broken_snapshot());
  for (const bool message : {true, false}) {
    story.app().panels().inspector.show_meanings = message;
    for (std::uint32_t id = 0; id < story.app().index()->size(); ++id) {
      story.app().commands().push(app::command::SelectTensor{id});
      story.frames(3);
      REQUIRE(story.app().panels().inspector.shown.last() != nullptr);
      CHECK(story.app().panels().inspector.shown.last()->tensor == id);
      if (!story.host().questions.empty()) story.host().answer(story.host().questions.back(), "{\"found\": false}");
    }
  }
}

}  // namespace dlscope::tests
