// WindowLines: a window of cells as lines of texels, rows or columns, for an exact reading, which takes those along which
// neighbouring cells lie closest in memory, and reads each once. Plain data; thread: any.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "core/reduce/cell_places.h"
#include "core/reduce/texels.h"

namespace dlscope::core {

// Bits from a cell to its neighbour on the line; none is farther than where there is no neighbour.
[[nodiscard]] inline std::uint64_t distance_between(const CellLine& line) {
  return line.step() == 0 ? ~std::uint64_t{0} : static_cast<std::uint64_t>(std::abs(line.step()));
}
[[nodiscard]] inline bool lies_along_rows(const CellPlaces& places) {
  return distance_between(places.across) <= distance_between(places.down);
}

struct WindowDirection {
  std::int64_t from = 0, count = 0;  // cells
  std::int64_t step = 1;             // cells of a texel
  [[nodiscard]] std::int64_t texels() const { return (count + step - 1) / step; }
};

struct WindowLines {
  bool along_rows;        // a line is a row of texels, else a column
  WindowDirection inner;  // along a line
  WindowDirection outer;  // from line to line

  WindowLines(const CellWindow& window, bool rows) : along_rows(rows) {
    const WindowDirection down{window.row, window.rows, window.row_step};
    const WindowDirection across{window.column, window.columns, window.column_step};
    inner = rows ? across : down;
    outer = rows ? down : across;
  }
  [[nodiscard]] std::int64_t count() const { return outer.texels(); }
  // The texels of the lines [from, to).
  [[nodiscard]] TexelRect texels(std::int64_t from, std::int64_t to) const {
    const auto first = static_cast<std::uint32_t>(from), lines = static_cast<std::uint32_t>(to - from);
    const auto all = static_cast<std::uint32_t>(inner.texels());
    return along_rows ? TexelRect{first, 0, lines, all} : TexelRect{0, first, all, lines};
  }
  // The index of texel number i of a line, in texels that have `columns` columns.
  [[nodiscard]] std::size_t index_of(std::size_t line, std::size_t i, std::size_t columns) const {
    return along_rows ? line * columns + i : i * columns + line;
  }
};

}  // namespace dlscope::core
