// A slice of a tensor as Python's basic indexing has it, x[1:3, ::2, 5]: per axis a start, a count and a step, or one index.
// Pure functions; thread: any.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/tensor/layout.h"

namespace dlscope::core {

// What is taken of one axis. Axes that no AxisSlice names are taken whole.
struct AxisSlice {
  std::uint32_t axis = 0;
  std::int64_t start = 0;  // the first index, from 0
  std::int64_t count = 1;  // of indices
  std::int64_t step = 1;   // from one index to the next, may be negative; 0: the one index `start`, and the axis is left out
  bool operator==(const AxisSlice&) const = default;
};

// A view of a layout. In the order of the axes that are left.
struct SlicedLayout {
  std::vector<std::int64_t> shape, stride_bits;
  std::int64_t offset_bits = 0;  // from element [0,...,0] of the whole to that of the slice; of an empty slice 0
};

// Fails in words: an axis that there is not, or twice; an index outside its axis.
[[nodiscard]] Result<SlicedLayout> slice_layout(LayoutView whole, std::span<const AxisSlice> slice);

// "x[1:3, ::2]"; `subject` itself where nothing is sliced. The slice must fit the shape.
[[nodiscard]] std::string slice_expression(std::string_view subject, std::span<const std::int64_t> shape,
                                           std::span<const AxisSlice> slice);

// Reads what stands between the brackets: "1:3, ::2", "..., -1"; "" is no slice. Fails in words where Python would, and for an
// index that is not a number.
[[nodiscard]] Result<std::vector<AxisSlice>> read_slice(std::string_view text, std::span<const std::int64_t> shape);

}  // namespace dlscope::core
