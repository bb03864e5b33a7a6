// BoundsSum: computes the bounds of a layout one axis at a time. It is the arithmetic of check_layout(), inline for the
// importers, which read each axis once and do so for 1e5 tensors.
#pragma once

#include <algorithm>
#include <cstdint>

#include "core/tensor/layout.h"

namespace dlscope::core {

// Overflows are remembered; finish(), called after the last axis, reports them.
class BoundsSum {
 public:
  explicit BoundsSum(std::uint32_t item_bits) : item_bits_(item_bits), highest_(item_bits) {}

  void add_axis(std::int64_t n, std::int64_t stride_bits) {
    shortest_ = std::min(shortest_, n);
    // For n <= 0 the numbers below are meaningless, and finish() ignores them.
    const auto steps = static_cast<std::int64_t>(static_cast<std::uint64_t>(n) - 1);
    std::int64_t reach = 0;
    check(__builtin_mul_overflow(elements_, n, &elements_));
    check(__builtin_mul_overflow(steps, stride_bits, &reach));
    check(__builtin_add_overflow(lowest_, std::min<std::int64_t>(reach, 0), &lowest_));
    check(__builtin_add_overflow(highest_, std::max<std::int64_t>(reach, 0), &highest_));
  }

  // `out` is written only when the answer is none.
  [[nodiscard]] LayoutFault finish(LayoutBounds& out) {
    std::int64_t ignored = 0;
    check(__builtin_mul_overflow(elements_, std::int64_t{item_bits_}, &ignored));
    check(__builtin_sub_overflow(highest_, lowest_, &ignored));
    if (shortest_ < 0) return LayoutFault::negative_dimension;
    if (shortest_ == 0) {
      out = {};  // there is no element, so any stride is valid
      return LayoutFault::none;
    }
    if (overflow_) return LayoutFault::size_overflow;
    out = {static_cast<std::uint64_t>(elements_), lowest_, highest_};
    return LayoutFault::none;
  }

 private:
  // A branch that is never taken costs less than `overflow_ |= overflow`.
  void check(bool overflow) {
    if (overflow) [[unlikely]]
      overflow_ = true;
  }

  std::uint32_t item_bits_;
  std::int64_t elements_ = 1;
  std::int64_t lowest_ = 0;
  std::int64_t highest_;
  std::int64_t shortest_ = 1;  // the least axis length so far, but at most 1
  bool overflow_ = false;
};

}  // namespace dlscope::core
