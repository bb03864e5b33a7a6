// The difference of two values, real or complex, by the rules of Comparison, for one pair. With -ffp-contract=off it gives the
// same bits as the vector loop in number_loops-inl.h.
// Pure; thread: any.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>

#include "core/base/magnitude.h"
#include "core/compare/comparison.h"

namespace dlscope::core {

template <class Number>
struct NumberDistance {
  // Finite differences are limited to this: infinity is only for infinite values.
  static constexpr Number kLargest = static_cast<Number>(std::numeric_limits<double>::max());

  enum class Kind : std::uint8_t { equal, both_nan, one_nan, numbers } kind = Kind::equal;
  // If kind is `numbers`:
  Number difference = 0;  // |x - y|; infinite if that is too large for a Number
  Number scaled = 0;      // |scale * x - scale * y|
  Number reference = 0;   // |scale * y|
  Number scale = 1;       // kOverflowScale if |x - y| or |y| is too large for a Number
  bool finite = true;     // both values are
  bool of_zero = false;   // y is 0

  [[nodiscard]] Number absolute() const { return finite ? std::min(difference, kLargest) : difference; }
  [[nodiscard]] Number relative() const {
    return of_zero || !finite ? std::numeric_limits<Number>::infinity() : std::min(scaled / reference, kLargest);
  }
  [[nodiscard]] bool inside(Tolerance tolerance) const {
    return finite &&
           scaled <= scale * static_cast<Number>(tolerance.absolute) + static_cast<Number>(tolerance.relative) * reference;
  }
};

// The difference of two finite numbers, complex ones included, cannot overflow once both are multiplied by this.
inline constexpr double kOverflowScale = 0.25;

// x, y: one number each, or two if complex.
template <class Number>
[[nodiscard]] NumberDistance<Number> distance_of(std::span<const Number> x, std::span<const Number> y) {
  using Kind = typename NumberDistance<Number>::Kind;
  if (std::ranges::equal(x, y)) return {};
  const auto is_nan = [](Number v) { return std::isnan(v); };
  const bool nan_x = std::ranges::any_of(x, is_nan), nan_y = std::ranges::any_of(y, is_nan);
  if (nan_x || nan_y) return {nan_x && nan_y ? Kind::both_nan : Kind::one_nan};
  NumberDistance<Number> out{.kind = Kind::numbers};
  // Equal infinities in a part of a complex number have difference 0, where subtracting would give NaN.
  const auto part_difference = [&](std::size_t i) {
    return x[i] == y[i] ? Number{0} : std::abs(out.scale * x[i] - out.scale * y[i]);
  };
  const auto measure = [&] {
    out.scaled = x.size() == 1 ? part_difference(0) : magnitude(part_difference(0), part_difference(1));
    out.reference = y.size() == 1 ? std::abs(out.scale * y[0]) : magnitude(out.scale * y[0], out.scale * y[1]);
  };
  measure();
  out.difference = out.scaled;
  out.of_zero = out.reference == 0;
  if (std::isinf(out.scaled) || std::isinf(out.reference)) {
    out.scale = kOverflowScale;
    measure();
    out.finite = !std::isinf(out.scaled) && !std::isinf(out.reference);
  }
  return out;
}

}  // namespace dlscope::core
