// Reads more cells than a screen holds, piece by piece: for copying and summing in a worker.
#pragma once

#include <algorithm>
#include <cstdint>
#include <stop_token>

#include "app/models/values/cell_range.h"
#include "app/models/values/value_grid.h"

namespace dlscope::app {

inline constexpr std::uint64_t kCellsAtOnce = 4096;

// Calls each(row within, column within, fetched bytes, the cell's index in them) for the first `rows` rows and `columns` columns
// of the range, row by row. False when stopped.
template <class Each>
bool read_cells(const ValueGrid& grid, const CellRange& range, std::uint64_t rows, std::uint64_t columns,
                const core::MemoryReader& reader, const std::stop_token& stop, Each&& each) {
  CellBytes fetched;
  const std::uint64_t wide = std::min(columns, kCellsAtOnce), high = std::max<std::uint64_t>(1, kCellsAtOnce / wide);
  for (std::uint64_t row = 0; row < rows; row += high) {
    for (std::uint64_t column = 0; column < columns; column += wide) {
      if (stop.stop_requested()) return false;
      grid.fetch(reader,
                 {range.first_row() + row, range.first_column() + column, static_cast<std::uint32_t>(std::min(high, rows - row)),
                  static_cast<std::uint32_t>(std::min(wide, columns - column))},
                 fetched);
      for (std::size_t i = 0; i < fetched.window.cells(); ++i)
        each(row + i / fetched.window.columns, column + i % fetched.window.columns, fetched, i);
    }
  }
  return true;
}

}  // namespace dlscope::app
