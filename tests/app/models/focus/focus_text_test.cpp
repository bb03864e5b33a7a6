#include "app/models/focus/focus_text.h"

#include <catch2/catch_test_macros.hpp>
#include <string>

#include "tests/support/sample_snapshot.h"

namespace dlscope::app {
namespace {

IndexPtr index_of(core::SnapshotPtr snapshot) {
  GroupColours colours;
  return build_index(std::move(snapshot), colours);
}

FocusLine fitted_to(const FocusLine& line, std::size_t characters) {
  return fitted(line, static_cast<float>(characters), 3, [](std::string_view text) { return static_cast<float>(text.size()); });
}

std::size_t width(const FocusLine& line) {
  std::size_t sum = 0;
  for (const std::string* part : {&line.place, &line.formula, &line.value, &line.also})
    if (!part->empty()) sum += part->size() + 3;
  return sum - 3;
}

}  // namespace

TEST_CASE("the line of the focus has the index, the formula, the value and who else holds the bytes", "[app][models][focus]") {
  const IndexPtr index = index_of(tests::tour_snapshot());
  const FocusLine line = focus_line(*index, focus_on(*index, 0, 5), "5.0");
  CHECK(line.place == "x[1, 1]");
  CHECK(line.formula == "0x5581 2e40 4a94 = data + 0 + (1·4 + 1·1)·4 B");
  CHECK(line.address == "0x5581 2e40 4a94");
  CHECK(line.value == "5.0");
  CHECK(line.also.starts_with("also "));
  CHECK(line.also.find("y[1, 1]") != std::string::npos);
  CHECK(line.also.find("t[1, 1]") != std::string::npos);
  CHECK(line.also.find("x[::-1][1, 1]") != std::string::npos);
  CHECK(line.also_few == "also y[1, 1] and 2 more");
  CHECK(line.also_count == "also 3 more");
  const std::string whole = whole_text(line);
  CHECK(whole.find("x[1, 1] = 5.0") != std::string::npos);
  CHECK(whole.find(line.formula) != std::string::npos);
}

TEST_CASE("a narrow bar leaves out the formula first and the index last", "[app][models][focus]") {
  const IndexPtr index = index_of(tests::tour_snapshot());
  const FocusLine line = focus_line(*index, focus_on(*index, 0, 5), "5.0");
  const std::size_t all = width(line);
  CHECK(fitted_to(line, all).formula == line.formula);
  const FocusLine no_formula = fitted_to(line, all - 1);
  CHECK(no_formula.formula == line.address);
  CHECK(no_formula.also == line.also);
  for (std::size_t room = all; room >= 14; --room) {
    const FocusLine shown = fitted_to(line, room);
    INFO(room);
    CHECK(width(shown) <= room);
    CHECK(shown.place == line.place);
    CHECK(shown.value == line.value);
    // Nothing is cut in the middle: a piece is there whole, in a shorter form, or not at all.
    CHECK((shown.formula.empty() || shown.formula == line.formula || shown.formula == line.address));
    CHECK((shown.also.empty() || shown.also == line.also || shown.also == line.also_few || shown.also == line.also_count));
  }
  CHECK(fitted_to(line, 8).value.empty());
  CHECK(fitted_to(line, 8).place == "x[1, 1]");
}

TEST_CASE("a narrow bar still names what a tensor shares bytes with", "[app][models][focus]") {
  const IndexPtr index = index_of(tests::tour_snapshot());
  const FocusLine line = focus_line(*index, {.tensor = 0, .element = {}, .space = {}, .bytes = {}});
  CHECK(line.also == "“x” is the transpose of “y”: the same 48 bytes, rows and columns swapped.");
  CHECK(line.also_names == "shares bytes with y, t, x[::-1]");
  CHECK(line.also_few == "shares with y and 2 more");
  CHECK(fitted_to(line, line.place.size() + line.also_names.size() + 3).also == line.also_names);
  CHECK(fitted_to(line, line.place.size() + line.also_few.size() + 3).also == line.also_few);
  CHECK(fitted_to(line, line.place.size() + line.also_count.size() + 3).also == "shares with 3");
  CHECK(fitted_to(line, line.place.size()).also.empty());
}

TEST_CASE("an axis that is pointed at is said with its size and stride", "[app][models][focus]") {
  const IndexPtr index = index_of(tests::tour_snapshot());
  CHECK(focus_line(*index, {.tensor = 0, .element = {}, .space = {}, .bytes = {}, .axis = 0}).place ==
        "x axis 0: size 3, stride 16 B (4 elements)");
  CHECK(focus_line(*index, {.tensor = 0, .element = {}, .space = {}, .bytes = {}, .axis = 7}).place == "x: float32, 3 × 4");
}

TEST_CASE("the shape of a tensor with one axis is said as a count, and a size as values and as memory", "[app][models][focus]") {
  const IndexPtr index =
      index_of(tests::snapshot_of({{.name = "b", .dtype = "uint16", .shape = {4}},
                                   {.name = "one", .address = 0x55812e405a80, .shape = {1}},
                                   {.name = "wide", .address = 0x55812e406a80, .shape = {8, 2}, .strides = {0, 1}}}));
  const auto line = [&](const char* name) {
    return focus_line(*index, {.tensor = *index->find(name), .element = {}, .space = {}, .bytes = {}});
  };
  CHECK(line("b").place == "b: uint16, 4 elements");
  CHECK(line("one").place == "one: float32, 1 element");
  CHECK(line("wide").place == "wide: float32, 8 × 2");
  CHECK(line("wide").formula == "at 0x5581 2e40 6a80, 64 B as values, 8 B in memory");
}

TEST_CASE("a long name gives way before its index does", "[app][models][focus]") {
  const IndexPtr index = index_of(tests::broken_snapshot());
  std::uint32_t id = 0;
  while (!index->snapshot->name(index->tensor(id)).starts_with("model.encoder")) ++id;
  const FocusLine line = focus_line(*index, focus_on(*index, id, 768 * 5 + 7), "0.25");
  const FocusLine shown = fitted_to(line, 30);
  CHECK(shown.place.ends_with("[5, 7]"));
  CHECK(shown.place.size() < line.place.size());
}

TEST_CASE("a tensor without elements, layout or partners has a line all the same", "[app][models][focus]") {
  const IndexPtr index = index_of(tests::broken_snapshot());
  for (std::uint32_t id = 0; id < index->size(); ++id) {
    const FocusLine line = focus_line(*index, {.tensor = id, .element = 3, .space = {}, .bytes = {}});
    CHECK_FALSE(line.place.empty());
    CHECK(fitted_to(line, 0).place.size() <= line.place.size());
  }
  CHECK(focus_line(*index, {}).empty());
  CHECK(focus_line(*index, {.tensor = 999999, .element = {}, .space = {}, .bytes = {}}).empty());
}

TEST_CASE("what is pinned is marked as pinned, also where the mouse is", "[app][models][focus]") {
  const IndexPtr index = index_of(tests::tour_snapshot());
  const Focus pinned = focus_on(*index, 0, 5), hover = focus_on(*index, 0, 6);
  CHECK(focus_mark(hover, pinned, pinned.space, pinned.bytes) == FocusMark::pinned);
  CHECK(focus_mark(pinned, pinned, pinned.space, pinned.bytes) == FocusMark::pinned);
  CHECK(focus_mark(hover, pinned, hover.space, hover.bytes) == FocusMark::hovered);
  CHECK(focus_mark(hover, pinned, hover.space, {hover.bytes.end, hover.bytes.end + 4}) == FocusMark::none);
  CHECK(focus_mark(hover, {}, static_cast<core::SpaceId>(hover.space + 1), hover.bytes) == FocusMark::none);
}

}  // namespace dlscope::app
