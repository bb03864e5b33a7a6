// CellPlaces: where the values of a tensor's cells lie (cell_axes.h), for those who read them: as bits beyond an address that is
// not beyond any of them. The lanes of an element are one more reduced axis.
#pragma once

#include <cstdint>

#include "core/reduce/cell_axes.h"
#include "core/statistics/statistics.h"

namespace dlscope::core {

// Axes of a cell that are reduced together. The values along them, `count` each time, become one.
struct CellStage {
  AffineAxes places;  // its origin is 0
  std::uint64_t count = 1;
  CellValue value = CellValue::mean;
};

struct CellPlaces {
  // `values` has a validated layout, `axes` fit it (count_cells) and have no channels (channel_axes).
  CellPlaces(const TensorValues& values, const CellAxes& axes);

  Address base = 0;
  std::int64_t origin = 0;  // of cell (0, 0), bits beyond base
  unsigned value_bits = 0;
  CellLine down, across;
  // How a cell's values become one, the innermost first; axes that repeat the same values are left out. Neighbours differ in `value`.
  std::vector<CellStage> stages;
  AffineAxes reduced;          // of all stages
  std::uint64_t per_cell = 1;  // values: places of `reduced`; 0: an axis without elements is reduced
};

// One after the other, the first the innermost; neighbours that are one longer axis are joined.
void append_axes(const AffineAxes& from, AffineAxes& to);

}  // namespace dlscope::core
