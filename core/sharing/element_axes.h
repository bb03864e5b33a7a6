// The axes of a view as a search for an element needs them. Offsets are in bits, because elements may be smaller than a byte.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "core/tensor/layout.h"

namespace dlscope::core {

struct ElementAxis {
  std::int64_t stride;  // bits, made positive
  std::int64_t count;
  std::uint64_t weight;  // what one index step adds to the C-order index
  bool flipped;          // the stride was negative: steps are counted from the last index

  std::uint64_t number_of(std::int64_t steps) const {
    return weight * static_cast<std::uint64_t>(flipped ? count - 1 - steps : steps);
  }
};

// The axes that affect the address, the last (innermost in C order)
// first. On an axis of size 1 or stride 0 the lowest index is 0.
struct ElementAxes {
  std::array<ElementAxis, kMaxRank> axes;
  std::size_t rank = 0;
  std::int64_t lowest = 0;  // bits from element [0,...,0] to the lowest element
  bool c_order = true;      // dense in C order: an element's index follows from its offset by one division
};

// False when the view has no elements.
inline bool collect_axes(LayoutView layout, ElementAxes& out) {
  std::uint64_t weight = 1;
  for (std::size_t d = layout.shape.size(); d-- > 0;) {
    const std::int64_t count = layout.shape[d];
    const std::int64_t stride = layout.stride_bits[d];
    if (count == 0) return false;
    if (count > 1 && stride != 0) {
      if (stride < 0) out.lowest += stride * (count - 1);
      ElementAxis& axis = out.axes[out.rank++];
      axis.stride = stride < 0 ? -stride : stride;
      axis.count = count;
      axis.weight = weight;
      axis.flipped = stride < 0;
      out.c_order &= static_cast<std::uint64_t>(stride) == weight * layout.item_bits;
    }
    out.c_order &= count == 1 || stride != 0;  // a broadcast axis multiplies elements, but not bytes
    weight *= static_cast<std::uint64_t>(count);
  }
  return true;
}

// A range [low, high] of element starts, in bits from the lowest element.
struct StartRange {
  std::int64_t low;
  std::int64_t high;
};

}  // namespace dlscope::core
