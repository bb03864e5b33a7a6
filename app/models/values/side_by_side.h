// Reads the same elements of two tensors, from the memory of their process. Costs only the requested elements.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "app/models/values/value_grid.h"

namespace dlscope::app {

struct SideBySide {
  std::uint64_t element = 0;  // C-order number
  GridCell a, b;
  bool differs = false;    // as numbers, where NaN equals NaN; only when both could be read and are the tensors' own
  std::string difference;  // "0.25": A - B; "" when the value is not a single number
};

// A tensor, the layout to read it by (its own, or that of a broadcast), and the reader of its memory.
struct SideOfTwo {
  const core::Snapshot& snapshot;
  const core::TensorRecord& tensor;
  core::LayoutView layout;
  const core::MemoryReader& reader;
  bool own = true;  // its bytes are known to be the tensor's own: others are read, but not compared
};

// Rows of consecutive elements in C order; `step` elements from the start of one row to the next.
struct ElementRows {
  std::uint64_t first = 0, rows = 1, columns = 1, step = 0;
};

// Fills `out` row by row. The values of both must be readable (why_no_values() is empty), the layouts must have one shape, and
// the elements must exist.
void read_side_by_side(const SideOfTwo& a, const SideOfTwo& b, const ElementRows& wanted, std::vector<SideBySide>& out);

}  // namespace dlscope::app
