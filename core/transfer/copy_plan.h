// A copy reduced to what matters: axes of one element dropped, neighbours that run on merged, the target walked upwards, and what
// lies side by side on both sides made one item.
// Pure; thread: any.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "core/tensor/layout.h"

namespace dlscope::core {

struct CopyAxis {
  std::int64_t count = 0;
  std::int64_t from = 0, to = 0;  // strides: bytes, or bits in a plan of bits. to > 0
};

struct CopyPlan {
  std::array<CopyAxis, kMaxRank> axes;  // [0, rank), the longest stride of the target first
  std::size_t rank = 0;
  std::int64_t from_start = 0, to_start = 0;  // of the first item, from element [0,...,0]
  std::int64_t item = 0;                      // its size
  bool in_bytes = true;                       // false: all of it counts bits
  bool empty = false;                         // nothing to copy
};

// Both layouts passed validate() and have the same shape and item_bits.
[[nodiscard]] CopyPlan plan_copy(LayoutView from, LayoutView to);

}  // namespace dlscope::core
