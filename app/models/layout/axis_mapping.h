// AxisMapping: a tensor of any rank as a two-dimensional table: one axis runs down, one across, the others have fixed indices.
// Also moves a focus through it, one key at a time. No I/O; thread: any.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/tensor/axis_slice.h"
#include "core/tensor/layout.h"

namespace dlscope::app {

// The axes that run down and across; -1: none (a scalar, a vector's rows). fixed[axis] is the index on every other axis.
struct AxisMapping {
  int row = -1;
  int column = -1;
  std::vector<std::int64_t> fixed;
  std::uint64_t wrap = 0;  // for a vector that runs across: elements per row, continued below; 0: all in one row
  // Only this slice of the tensor is shown: `fixed` are indices of it, and the layout for the functions below is that of its
  // SliceView. Empty: all of the tensor is.
  std::vector<core::AxisSlice> slice = {};
  friend bool operator==(const AxisMapping&, const AxisMapping&) = default;
};

// The last axis runs across, the one before it down; index 0 on the others.
[[nodiscard]] AxisMapping default_mapping(int rank);

// The shown slice as an index: "[0, :, 3, :]".
[[nodiscard]] std::string slice_text(const AxisMapping& mapping);

// The row and column of an element in its slice.
struct CellPlace {
  std::uint64_t row = 0, column = 0;
  friend bool operator==(const CellPlace&, const CellPlace&) = default;
};
// `element` (a C-order number) must exist in the layout. The mapping's fixed indices are ignored.
[[nodiscard]] CellPlace place_of(core::LayoutView layout, const AxisMapping& mapping, std::uint64_t element);
// Sets the fixed indices to those of the element. True: one of them changed.
bool show_element(core::LayoutView layout, AxisMapping& mapping, std::uint64_t element);

// A selection in a wrapped vector runs from one element to another and is no rectangle. Returns the mapping without the wrap and
// the two places in it; any other mapping is returned unchanged.
struct UnwrappedCells {
  AxisMapping mapping;
  CellPlace anchor, head;
};
[[nodiscard]] UnwrappedCells unwrapped(core::LayoutView layout, const AxisMapping& mapping, CellPlace anchor, CellPlace head);

// Elements per row: the largest number up to `fit` that keeps the indices before the rows easy to read: any number up to 10, then
// multiples of 5, then of 10.
[[nodiscard]] std::uint64_t wrap_that_fits(std::uint64_t fit);

// Whether a cell is on the line along `axis` through the cell `through`: a column for the axis that runs down, a row for the one
// that runs across; never for a fixed axis.
[[nodiscard]] bool on_axis_line(const AxisMapping& mapping, int axis, CellPlace through, CellPlace cell);

// The axis for Page Up and Page Down: the last fixed one longer than 1; else -1.
[[nodiscard]] int paging_axis(core::LayoutView layout, const AxisMapping& mapping);

enum class FocusStep : std::uint8_t {
  up,
  down,
  left,
  right,
  page_up,
  page_down,
  top,  // to the ends of an axis
  bottom,
  leftmost,
  rightmost,
  first_page,
  last_page,
  first,  // of all elements
  last
};
// The element after one step; the same one at the end of an axis, or when there is no such axis.
[[nodiscard]] std::uint64_t stepped(core::LayoutView layout, const AxisMapping& mapping, std::uint64_t element, FocusStep step);

}  // namespace dlscope::app
