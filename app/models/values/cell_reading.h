// Reads more cells than a screen holds, piece by piece: for copying and summing in a worker. From memory as it is now, or from
// cells that were kept of an earlier read.
#pragma once

#include <algorithm>
#include <cstdint>
#include <stop_token>

#include "app/models/values/cell_range.h"
#include "app/models/values/kept_values.h"
#include "app/models/values/value_grid.h"

namespace dlscope::app {

inline constexpr std::uint64_t kCellsAtOnce = 4096;

// Where cells come from: one of the two, which outlives it.
class CellSource {
 public:
  CellSource(const core::MemoryReader& reader) : reader_(&reader) {}
  CellSource(const KeptTable& kept) : kept_(&kept) {}

  void fetch(const ValueGrid& grid, GridWindow window, CellBytes& out) const {
    if (kept_ != nullptr) return take_kept(*kept_, grid.cut(window), grid.mapping().wrap, out);
    grid.fetch(*reader_, window, out);
  }
  // Of cells without bytes, after their number.
  [[nodiscard]] const char* why_missing() const { return kept_ != nullptr ? "not kept" : "could not be read"; }

 private:
  const core::MemoryReader* reader_ = nullptr;
  const KeptTable* kept_ = nullptr;
};

// Calls each(row within, column within, fetched bytes, the cell's index in them) for the first `rows` rows and `columns` columns
// of the range, row by row. False when stopped.
template <class Each>
bool read_cells(const ValueGrid& grid, const CellRange& range, std::uint64_t rows, std::uint64_t columns,
                const CellSource& source, const std::stop_token& stop, Each&& each) {
  CellBytes fetched;
  const std::uint64_t wide = std::min(columns, kCellsAtOnce), high = std::max<std::uint64_t>(1, kCellsAtOnce / wide);
  for (std::uint64_t row = 0; row < rows; row += high) {
    for (std::uint64_t column = 0; column < columns; column += wide) {
      if (stop.stop_requested()) return false;
      const GridWindow window{range.first_row() + row, range.first_column() + column,
                              static_cast<std::uint32_t>(std::min(high, rows - row)),
                              static_cast<std::uint32_t>(std::min(wide, columns - column))};
      source.fetch(grid, window, fetched);
      for (std::size_t i = 0; i < fetched.window.cells(); ++i)
        each(row + i / fetched.window.columns, column + i % fetched.window.columns, fetched, i);
    }
  }
  return true;
}

}  // namespace dlscope::app
