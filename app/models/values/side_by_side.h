// The same elements of two tensors beside each other, read from the memory of the process that owns them. Costs what is asked for.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "app/models/values/value_grid.h"

namespace dlscope::app {

struct SideBySide {
  std::uint64_t element = 0;  // C-order number
  GridCell a, b;
  bool differs = false;    // as numbers, NaN equal to NaN; where both could be read
  std::string difference;  // "0.25": A - B; "" for what is no single number
};

// A tensor, the layout it is read by (its own, or that of a broadcast), and what reads the memory it lies in.
struct SideOfTwo {
  const core::Snapshot& snapshot;
  const core::TensorRecord& tensor;
  core::LayoutView layout;
  const core::MemoryReader& reader;
};

// Rows of elements that follow one another in C order, `step` elements from the start of a row to that of the next.
struct ElementRows {
  std::uint64_t first = 0, rows = 1, columns = 1, step = 0;
};

// Row by row. The values of both can be shown (ValueGrid::why_not is empty), their layouts have one shape, and the elements exist.
void read_side_by_side(const SideOfTwo& a, const SideOfTwo& b, const ElementRows& wanted, std::vector<SideBySide>& out);

}  // namespace dlscope::app
