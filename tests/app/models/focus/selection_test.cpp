#include "app/models/focus/selection.h"

#include <catch2/catch_test_macros.hpp>

#include "app/models/focus/focus_text.h"
#include "tests/support/sample_snapshot.h"

namespace dlscope::app {
namespace {

IndexPtr index_of(core::SnapshotPtr snapshot) {
  GroupColours colours;
  return build_index(std::move(snapshot), colours);
}

Focus on_tensor(std::uint32_t tensor) {
  Focus focus;
  focus.tensor = tensor;
  return focus;
}

}  // namespace

TEST_CASE("nothing can be selected before there is a snapshot", "[app][selection]") {
  Selection selection;
  selection.select(0);
  selection.compare(0);
  selection.pin(on_tensor(0));
  CHECK(selection.selected() == core::kNone32);
  CHECK(selection.compared() == core::kNone32);
  CHECK_FALSE(selection.focus().on_tensor());
  CHECK(selection.revision() == 0);
}

TEST_CASE("the first tensors ever shown are looked at, later an empty selection is a choice", "[app][selection]") {
  Selection selection;
  selection.show(index_of(tests::empty_snapshot()));
  CHECK(selection.selected() == core::kNone32);
  const IndexPtr tour = index_of(tests::tour_snapshot());
  selection.show(tour);
  CHECK(selection.selected() == tour->suggested);
  selection.select(core::kNone32);
  selection.show(index_of(tests::tour_snapshot()));
  CHECK(selection.selected() == core::kNone32);
}

TEST_CASE("what was selected, compared and pinned is found again by name", "[app][selection]") {
  Selection selection;
  const IndexPtr tour = index_of(tests::tour_snapshot());
  selection.show(tour);
  selection.select("t");
  selection.compare(*tour->find("x"));
  selection.pin(focus_on(*tour, selection.selected(), 3));
  selection.hover(on_tensor(1));
  const std::uint64_t revision = selection.revision();

  selection.show(index_of(tests::tour_snapshot()));
  CHECK(selection.selected() == *tour->find("t"));
  CHECK(selection.compared() == *tour->find("x"));
  CHECK(selection.pinned().element == 3U);
  CHECK_FALSE(selection.hovered().on_tensor());
  CHECK(selection.revision() == revision);  // nothing scrolls by itself

  selection.show(index_of(tests::scalar_snapshot()));
  CHECK(selection.selected() == core::kNone32);
  CHECK(selection.compared() == core::kNone32);
  CHECK_FALSE(selection.pinned().on_tensor());

  selection.show(index_of(tests::tour_snapshot()));
  CHECK(selection.selected() == *tour->find("t"));
  CHECK(selection.compared() == *tour->find("x"));
}

TEST_CASE("a tensor may be selected before it exists", "[app][selection]") {
  Selection selection;
  selection.select("t");
  const IndexPtr tour = index_of(tests::tour_snapshot());
  selection.show(tour);
  CHECK(selection.selected() == *tour->find("t"));
}

TEST_CASE("the second tensor: chosen twice it goes, selected it changes places", "[app][selection]") {
  Selection selection;
  const IndexPtr tour = index_of(tests::tour_snapshot());
  selection.show(tour);
  const std::uint32_t x = *tour->find("x"), y = *tour->find("y");
  selection.select(x);
  selection.compare(x);
  CHECK(selection.compared() == core::kNone32);
  selection.compare(y);
  CHECK(selection.compared() == y);
  selection.select(y);
  CHECK(selection.selected() == y);
  CHECK(selection.compared() == x);
  selection.compare(x);
  CHECK(selection.compared() == core::kNone32);
  selection.select(core::kNone32);
  selection.compare(x);  // with nothing selected it is the first
  CHECK(selection.selected() == x);
  CHECK(selection.compared() == core::kNone32);
}

TEST_CASE("letting go takes the pin first, then the second tensor; the selection stays", "[app][selection]") {
  Selection selection;
  const IndexPtr tour = index_of(tests::tour_snapshot());
  selection.show(tour);
  const std::uint32_t x = *tour->find("x"), y = *tour->find("y");
  selection.pin(focus_on(*tour, y, 1));
  selection.compare(x);
  CHECK(selection.selected() == y);
  CHECK(selection.focus().tensor == y);
  selection.hover(focus_on(*tour, x, 0));
  CHECK(selection.focus().tensor == x);
  selection.hover({});
  selection.deselect();
  CHECK_FALSE(selection.focus().on_tensor());
  CHECK(selection.compared() == x);
  selection.deselect();
  CHECK(selection.compared() == core::kNone32);
  selection.deselect();
  CHECK(selection.selected() == y);
  selection.pin(on_tensor(9'999));
  CHECK_FALSE(selection.pinned().on_tensor());
}

}  // namespace dlscope::app
