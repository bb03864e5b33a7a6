// LayoutSum: the bounds of a layout, one axis at a time. The arithmetic of check_layout, inline for an import, which has each
// axis in hand once and a hundred thousand tensors to go.
#pragma once

#include <algorithm>
#include <cstdint>

#include "core/tensor/layout.h"

namespace dlscope::core {

// Whatever goes wrong is gathered; after the last axis finish() says what it was.
class LayoutSum {
 public:
  explicit LayoutSum(std::uint32_t item_bits) : item_bits_(item_bits), highest_(item_bits) {}

  void add_axis(std::int64_t n, std::int64_t stride_bits) {
    shortest_ = std::min(shortest_, n);
    // Of an axis that is not longer than 0 the rest means nothing, and finish() does not look at it.
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
      out = {};  // nothing lies anywhere: no stride is wrong
      return LayoutFault::none;
    }
    if (overflow_) return LayoutFault::size_overflow;
    out = {static_cast<std::uint64_t>(elements_), lowest_, highest_};
    return LayoutFault::none;
  }

 private:
  // A branch that is never taken costs less than gathering.
  void check(bool overflow) {
    if (overflow) [[unlikely]]
      overflow_ = true;
  }

  std::uint32_t item_bits_;
  std::int64_t elements_ = 1;
  std::int64_t lowest_ = 0;
  std::int64_t highest_;
  std::int64_t shortest_ = 1;  // at most 1
  bool overflow_ = false;
};

}  // namespace dlscope::core
