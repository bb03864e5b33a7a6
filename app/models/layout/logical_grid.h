// LogicalGrid: a tensor as a table: two axes as rows and columns, the others at fixed indices. Gives each cell's element number
// in C order and its bit position. Arithmetic only, reads no memory; positions are 64-bit. Shape, strides and mapping must
// outlive it.
#pragma once

#include <cstdint>
#include <optional>

#include "app/models/layout/axis_mapping.h"
#include "core/tensor/layout.h"

namespace dlscope::app {

struct GridPlace {
  std::int64_t row = 0, column = 0;
  friend bool operator==(const GridPlace&, const GridPlace&) = default;
};

class LogicalGrid {
 public:
  // The layout must be validated; `mapping` must have its rank.
  LogicalGrid(core::LayoutView layout, const AxisMapping& mapping);

  // 1 where no axis runs in that direction.
  [[nodiscard]] std::int64_t rows() const { return rows_; }
  [[nodiscard]] std::int64_t columns() const { return columns_; }
  // C-order number of the element at that cell, which must exist.
  [[nodiscard]] std::uint64_t element(GridPlace place) const;
  // Position of its first bit, relative to element [0,...,0].
  [[nodiscard]] std::int64_t bit(GridPlace place) const;
  // The cell of an element; nullopt: it is in another slice.
  [[nodiscard]] std::optional<GridPlace> place_of(std::uint64_t element) const;
  // Strides of one step down and one step across, in bits.
  [[nodiscard]] std::int64_t row_stride() const { return row_stride_; }
  [[nodiscard]] std::int64_t column_stride() const { return column_stride_; }

 private:
  core::LayoutView layout_;
  const AxisMapping* mapping_;
  std::int64_t rows_ = 1, columns_ = 1;
  std::int64_t row_stride_ = 0, column_stride_ = 0;   // bits
  std::uint64_t row_weight_ = 0, column_weight_ = 0;  // elements in C order
  std::uint64_t first_element_ = 0;                   // of the slice; likewise first_bit_
  std::int64_t first_bit_ = 0;
};

}  // namespace dlscope::app
