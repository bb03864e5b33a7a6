#include "app/models/layout/axis_mapping.h"

#include <catch2/catch_test_macros.hpp>
#include <cstdint>
#include <vector>

namespace dlscope::app {
namespace {

std::vector<std::int64_t> index_of(const core::Layout& layout, std::uint64_t element) {
  std::vector<std::int64_t> index(layout.shape.size());
  core::unravel(layout, element, index);
  return index;
}

std::uint64_t walk(const core::Layout& layout, const AxisMapping& mapping, std::uint64_t element,
                   std::initializer_list<FocusStep> steps) {
  for (const FocusStep step : steps) element = stepped(layout, mapping, element, step);
  return element;
}

constexpr FocusStep kEverySingleStep[] = {FocusStep::up,       FocusStep::down,      FocusStep::left,       FocusStep::right,
                                          FocusStep::page_up,  FocusStep::page_down, FocusStep::top,        FocusStep::bottom,
                                          FocusStep::leftmost, FocusStep::rightmost, FocusStep::first_page, FocusStep::last_page,
                                          FocusStep::first,    FocusStep::last};

}  // namespace

TEST_CASE("an axis is a line of cells through one of them", "[app][models]") {
  AxisMapping mapping = default_mapping(3);  // axis 1 down, axis 2 across
  const CellPlace through{2, 5};
  CHECK(on_axis_line(mapping, 1, through, {0, 5}));
  CHECK_FALSE(on_axis_line(mapping, 1, through, {2, 4}));
  CHECK(on_axis_line(mapping, 2, through, {2, 4}));
  CHECK_FALSE(on_axis_line(mapping, 2, through, {0, 5}));
  CHECK_FALSE(on_axis_line(mapping, 0, through, through));
  CHECK_FALSE(on_axis_line(mapping, -1, through, through));
}

TEST_CASE("a slice is written as an index would say it", "[app][models]") {
  CHECK(slice_text(default_mapping(0)) == "[]");
  CHECK(slice_text(default_mapping(2)) == "[:, :]");
  AxisMapping mapping = default_mapping(4);
  mapping.fixed = {7, 0, 1, 2};
  mapping.row = 1;
  CHECK(slice_text(mapping) == "[7, :, 1, :]");
}

TEST_CASE("arrows move by one element along the axes shown, whatever the strides are", "[app][models][focus]") {
  const core::Layout layout = core::Layout::from_element_strides({3, 4}, {-1, 3}, 32);
  const AxisMapping mapping = default_mapping(2);
  CHECK(index_of(layout, walk(layout, mapping, 5, {FocusStep::down})) == std::vector<std::int64_t>{2, 1});
  CHECK(index_of(layout, walk(layout, mapping, 5, {FocusStep::up})) == std::vector<std::int64_t>{0, 1});
  CHECK(index_of(layout, walk(layout, mapping, 5, {FocusStep::left})) == std::vector<std::int64_t>{1, 0});
  CHECK(index_of(layout, walk(layout, mapping, 5, {FocusStep::right})) == std::vector<std::int64_t>{1, 2});
  const AxisMapping turned{.row = 1, .column = 0, .fixed = {0, 0}};
  CHECK(index_of(layout, walk(layout, turned, 5, {FocusStep::down})) == std::vector<std::int64_t>{1, 2});
}

TEST_CASE("a step stops at the end of its axis; ends are reached at once", "[app][models][focus]") {
  const core::Layout layout = core::Layout::c_order({3, 4}, 32);
  const AxisMapping mapping = default_mapping(2);
  CHECK(walk(layout, mapping, 3, {FocusStep::right, FocusStep::right}) == 3);
  CHECK(walk(layout, mapping, 0, {FocusStep::left, FocusStep::up}) == 0);
  CHECK(walk(layout, mapping, 11, {FocusStep::down, FocusStep::right}) == 11);
  CHECK(index_of(layout, walk(layout, mapping, 5, {FocusStep::rightmost})) == std::vector<std::int64_t>{1, 3});
  CHECK(index_of(layout, walk(layout, mapping, 5, {FocusStep::leftmost})) == std::vector<std::int64_t>{1, 0});
  CHECK(index_of(layout, walk(layout, mapping, 5, {FocusStep::bottom})) == std::vector<std::int64_t>{2, 1});
  CHECK(index_of(layout, walk(layout, mapping, 5, {FocusStep::top})) == std::vector<std::int64_t>{0, 1});
  CHECK(walk(layout, mapping, 5, {FocusStep::first}) == 0);
  CHECK(walk(layout, mapping, 5, {FocusStep::last}) == 11);
}

TEST_CASE("a scalar stays where it is, a vector has one axis", "[app][models][focus]") {
  const core::Layout scalar = core::Layout::c_order({}, 64);
  for (const FocusStep step : kEverySingleStep) CHECK(stepped(scalar, default_mapping(0), 0, step) == 0);
  const core::Layout vector = core::Layout::c_order({5}, 64);
  CHECK(walk(vector, default_mapping(1), 2, {FocusStep::right}) == 3);
  CHECK(walk(vector, default_mapping(1), 2, {FocusStep::down}) == 2);
  const AxisMapping standing{.row = 0, .column = -1, .fixed = {0}};
  CHECK(walk(vector, standing, 2, {FocusStep::down}) == 3);
  CHECK(walk(vector, standing, 2, {FocusStep::right}) == 2);
  const core::Layout ones = core::Layout::c_order({1, 1, 1}, 64);
  for (const FocusStep step : kEverySingleStep) CHECK(stepped(ones, default_mapping(3), 0, step) == 0);
}

TEST_CASE("paging moves along the last axis that stands still and is longer than one", "[app][models][focus]") {
  const core::Layout layout = core::Layout::c_order({2, 1, 3, 1, 2, 4}, 8);
  const AxisMapping mapping = default_mapping(6);
  CHECK(paging_axis(layout, mapping) == 2);
  CHECK(index_of(layout, walk(layout, mapping, 0, {FocusStep::page_down})) == std::vector<std::int64_t>{0, 0, 1, 0, 0, 0});
  CHECK(index_of(layout, walk(layout, mapping, 0, {FocusStep::last_page, FocusStep::page_down})) ==
        std::vector<std::int64_t>{0, 0, 2, 0, 0, 0});
  CHECK(index_of(layout, walk(layout, mapping, 47, {FocusStep::first_page})) == std::vector<std::int64_t>{1, 0, 0, 0, 1, 3});
  CHECK(paging_axis(layout, {.row = 2, .column = 0, .fixed = std::vector<std::int64_t>(6, 0)}) == 5);
  CHECK(paging_axis(core::Layout::c_order({2, 3}, 8), default_mapping(2)) == -1);
}

TEST_CASE("an element is brought into view by moving the axes that stand still", "[app][models][focus]") {
  const core::Layout layout = core::Layout::c_order({2, 3, 4, 5}, 32);
  AxisMapping mapping = default_mapping(4);
  const std::uint64_t element = ((1 * 3 + 2) * 4 + 3) * 5 + 4;
  CHECK(place_of(layout, mapping, element) == CellPlace{3, 4});
  CHECK(show_element(layout, mapping, element));
  CHECK(mapping.fixed == std::vector<std::int64_t>{1, 2, 0, 0});
  CHECK_FALSE(show_element(layout, mapping, element));
  CHECK(place_of(core::Layout::c_order({}, 8), default_mapping(0), 0) == CellPlace{0, 0});
}

TEST_CASE("positions of a view of 2^40 columns are exact", "[app][models][focus]") {
  const std::int64_t wide = std::int64_t{1} << 40;
  const core::Layout layout = core::Layout::from_element_strides({3, wide}, {0, 0}, 32);
  const AxisMapping mapping = default_mapping(2);
  const std::uint64_t last = stepped(layout, mapping, 0, FocusStep::last);
  CHECK(last == 3 * static_cast<std::uint64_t>(wide) - 1);
  CHECK(place_of(layout, mapping, last) == CellPlace{2, static_cast<std::uint64_t>(wide) - 1});
  CHECK(stepped(layout, mapping, last, FocusStep::left) == last - 1);
  CHECK(stepped(layout, mapping, last, FocusStep::up) == last - static_cast<std::uint64_t>(wide));
}

}  // namespace dlscope::app
