// CellRange: a selection of cells, from where the mouse was pressed to where it is. 64-bit positions.
#pragma once

#include <algorithm>
#include <cstdint>

#include "app/models/layout/axis_mapping.h"

namespace dlscope::app {

struct CellRange {
  CellPlace anchor, head;  // both inclusive

  [[nodiscard]] std::uint64_t first_row() const { return std::min(anchor.row, head.row); }
  [[nodiscard]] std::uint64_t first_column() const { return std::min(anchor.column, head.column); }
  [[nodiscard]] std::uint64_t rows() const { return std::max(anchor.row, head.row) - first_row() + 1; }
  [[nodiscard]] std::uint64_t columns() const { return std::max(anchor.column, head.column) - first_column() + 1; }
  [[nodiscard]] bool contains(std::uint64_t row, std::uint64_t column) const {
    return row - first_row() < rows() && column - first_column() < columns();
  }
  [[nodiscard]] bool is_one() const { return anchor == head; }
  friend bool operator==(const CellRange&, const CellRange&) = default;
};

// Whether the cell is selected: in a wrapped vector between the first and the last element, else in the rectangle.
[[nodiscard]] inline bool selects(const CellRange& range, const AxisMapping& mapping, std::uint64_t row, std::uint64_t column) {
  if (mapping.wrap == 0) return range.contains(row, column);
  const auto flat = [&](CellPlace place) { return place.row * mapping.wrap + place.column; };
  const auto [first, last] = std::minmax({flat(range.anchor), flat(range.head)});  // a list: two arguments would dangle
  const std::uint64_t at = flat({row, column});
  return first <= at && at <= last;
}

}  // namespace dlscope::app
