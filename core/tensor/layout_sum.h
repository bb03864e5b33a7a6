// LayoutSum: the bounds of a layout, one axis at a time. The arithmetic of check_layout, inline for an import, which has each
// axis in hand once and a hundred thousand tensors to go.
#pragma once

#include <algorithm>
#include <cstdint>

#include "core/tensor/layout.h"

namespace dlscope::core {

// Overflow is gathered, not branched on: after the last axis finish() says what was wrong.
class LayoutSum {
 public:
  explicit LayoutSum(std::uint32_t item_bits) : item_bits_(item_bits), highest_(item_bits) {}

  void add_axis(std::int64_t n, std::int64_t stride_bits) {
    std::int64_t steps = 0;
    std::int64_t reach = 0;
    signs_ |= n;
    empty_ |= n == 0;
    overflow_ |= __builtin_mul_overflow(elements_, n, &elements_);
    overflow_ |= __builtin_sub_overflow(n, 1, &steps);
    overflow_ |= __builtin_mul_overflow(steps, stride_bits, &reach);
    overflow_ |= __builtin_add_overflow(lowest_, std::min<std::int64_t>(reach, 0), &lowest_);
    overflow_ |= __builtin_add_overflow(highest_, std::max<std::int64_t>(reach, 0), &highest_);
  }

  // `out` is written only when the answer is none.
  [[nodiscard]] LayoutFault finish(LayoutBounds& out) {
    std::int64_t ignored = 0;
    overflow_ |= __builtin_mul_overflow(elements_, std::int64_t{item_bits_}, &ignored);
    overflow_ |= __builtin_sub_overflow(highest_, lowest_, &ignored);
    if (signs_ < 0) return LayoutFault::negative_dimension;
    if (empty_) {
      out = {};  // nothing lies anywhere: no stride is wrong
      return LayoutFault::none;
    }
    if (overflow_) return LayoutFault::size_overflow;
    out = {static_cast<std::uint64_t>(elements_), lowest_, highest_};
    return LayoutFault::none;
  }

 private:
  std::uint32_t item_bits_;
  std::int64_t elements_ = 1;
  std::int64_t lowest_ = 0;
  std::int64_t highest_;
  std::int64_t signs_ = 0;  // negative when a dimension is
  bool empty_ = false;
  bool overflow_ = false;
};

}  // namespace dlscope::core
