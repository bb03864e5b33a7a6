// AxisMapping: a tensor of any rank laid flat on the screen: one axis runs down, one across, the others stand still.
// And how a focus moves through it, one key at a time. Numbers only; thread: any.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/tensor/layout.h"

namespace dlscope::app {

// Which axis runs down, which across; -1: none (a scalar, a vector's rows). fixed[axis] is the index on every other axis.
struct AxisMapping {
  int row = -1;
  int column = -1;
  std::vector<std::int64_t> fixed;
  std::uint64_t wrap = 0;  // of a vector that runs across: so many in a row, the next ones below; 0: all in one row
  friend bool operator==(const AxisMapping&, const AxisMapping&) = default;
};

// The last axis across, the one before it down, 0 on the rest.
[[nodiscard]] AxisMapping default_mapping(int rank);

// Which slice is shown, as an index would say it: "[0, :, 3, :]".
[[nodiscard]] std::string slice_text(const AxisMapping& mapping);

// Where an element stands when the other axes show it: its row and column.
struct CellPlace {
  std::uint64_t row = 0, column = 0;
  friend bool operator==(const CellPlace&, const CellPlace&) = default;
};
// `element` (a C-order number) must be one of the layout's. The mapping's fixed indices do not matter.
[[nodiscard]] CellPlace place_of(core::LayoutView layout, const AxisMapping& mapping, std::uint64_t element);
// Sets the axes that stand still to where the element is. True when one of them moved.
bool show_element(core::LayoutView layout, AxisMapping& mapping, std::uint64_t element);

// What was selected in a wrapped vector runs from one element to another, not over a rectangle: the mapping without the wrap, and
// the two elements' places in it. Anything else as it is.
struct UnwrappedCells {
  AxisMapping mapping;
  CellPlace anchor, head;
};
[[nodiscard]] UnwrappedCells unwrapped(core::LayoutView layout, const AxisMapping& mapping, CellPlace anchor, CellPlace head);

// The most elements in a row, no more than `fit`, with which the indices before the rows are easy to read: up to 10 any number, then
// fives, then tens.
[[nodiscard]] std::uint64_t wrap_that_fits(std::uint64_t fit);

// Whether a cell is on the line along `axis` through `through`: one column of cells for the axis that runs down, one row for the
// one that runs across, none for an axis that stands still.
[[nodiscard]] bool on_axis_line(const AxisMapping& mapping, int axis, CellPlace through, CellPlace cell);

// The axis that Page Up and Page Down move along: the last one that is neither down nor across and longer than 1; else -1.
[[nodiscard]] int paging_axis(core::LayoutView layout, const AxisMapping& mapping);

enum class FocusStep : std::uint8_t {
  up,
  down,
  left,
  right,
  page_up,
  page_down,
  top,  // the ends of an axis
  bottom,
  leftmost,
  rightmost,
  first_page,
  last_page,
  first,  // of all elements
  last
};
// The element one step on; the same one at the end of an axis, or when the step's axis does not exist.
[[nodiscard]] std::uint64_t stepped(core::LayoutView layout, const AxisMapping& mapping, std::uint64_t element, FocusStep step);

}  // namespace dlscope::app
