// CopyPlan: a strided copy in a normal form: axes of length 1 dropped, axes that continue one another merged, the target's
// strides made positive, and runs that are contiguous in both source and target made one item.
// Pure functions; thread: any.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "core/tensor/layout.h"

namespace dlscope::core {

struct CopyAxis {
  std::int64_t count = 0;
  std::int64_t from = 0, to = 0;  // strides in bytes, or in bits if !CopyPlan::in_bytes. to > 0
};

struct CopyPlan {
  std::array<CopyAxis, kMaxRank> axes;  // [0, rank), sorted by the target's stride, the longest first
  std::size_t rank = 0;
  std::int64_t from_start = 0, to_start = 0;  // offset of the first item from element [0,...,0]
  std::int64_t item = 0;                      // size of an item
  bool in_bytes = true;                       // the unit of all numbers; false: bits
  bool empty = false;                         // nothing to copy
};

// Both layouts must have passed validate() and have the same shape and item_bits.
[[nodiscard]] CopyPlan plan_copy(LayoutView from, LayoutView to);

}  // namespace dlscope::core
