// LogicalGrid: a tensor as its index sees it: two axes as rows and columns, the others fixed. Where every cell's element
// lies, in C order and in bits. Arithmetic only, no memory; positions are 64 bits wide. The shape, strides and mapping it
// is made of must outlive it.
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
  // A validated layout; `mapping` fits its rank.
  LogicalGrid(core::LayoutView layout, const AxisMapping& mapping);

  // 1 where no axis runs that way.
  [[nodiscard]] std::int64_t rows() const { return rows_; }
  [[nodiscard]] std::int64_t columns() const { return columns_; }
  // C-order number of the element at that place, which must exist.
  [[nodiscard]] std::uint64_t element(GridPlace place) const;
  // Where its first bit lies, relative to element [0,...,0].
  [[nodiscard]] std::int64_t bit(GridPlace place) const;
  // Where an element is shown; nullopt: it is in another slice.
  [[nodiscard]] std::optional<GridPlace> place_of(std::uint64_t element) const;
  // What one step down and one step across adds, in bits.
  [[nodiscard]] std::int64_t row_stride() const { return row_stride_; }
  [[nodiscard]] std::int64_t column_stride() const { return column_stride_; }

 private:
  core::LayoutView layout_;
  const AxisMapping* mapping_;
  std::int64_t rows_ = 1, columns_ = 1;
  std::int64_t row_stride_ = 0, column_stride_ = 0;   // bits
  std::uint64_t row_weight_ = 0, column_weight_ = 0;  // elements in C order
  std::uint64_t first_element_ = 0;                   // of the slice
  std::int64_t first_bit_ = 0;
};

}  // namespace dlscope::app
