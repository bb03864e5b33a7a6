// How far two values are apart, each of one number, or of two where it is complex: the rules of a comparison, pair by pair. Compile with
// -ffp-contract=off where the same bits are wanted as the vector loops of difference_loops-inl.h have.
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
  enum class Kind : std::uint8_t { equal, both_nan, one_nan, numbers } kind = Kind::equal;
  Number size = 0, of = 0;  // of `numbers`: how far they are apart, and the second one from zero

  [[nodiscard]] Number relative() const {
    return of == 0 || std::isinf(size) ? std::numeric_limits<Number>::infinity() : size / of;
  }
  [[nodiscard]] bool inside(Tolerance tolerance) const {
    return !std::isinf(size) && size <= static_cast<Number>(tolerance.absolute) + static_cast<Number>(tolerance.relative) * of;
  }
};

// As many numbers in x as in y: 1 or 2.
template <class Number>
[[nodiscard]] NumberDistance<Number> distance_of(std::span<const Number> x, std::span<const Number> y) {
  using Kind = typename NumberDistance<Number>::Kind;
  if (std::ranges::equal(x, y)) return {};
  const auto is_nan = [](Number v) { return std::isnan(v); };
  const bool nan_x = std::ranges::any_of(x, is_nan), nan_y = std::ranges::any_of(y, is_nan);
  if (nan_x || nan_y) return {nan_x && nan_y ? Kind::both_nan : Kind::one_nan};
  // Equal infinities of a complex number's part have no distance; their difference would be NaN.
  const auto apart = [](Number v, Number w) { return v == w ? Number{0} : std::abs(v - w); };
  if (x.size() == 1) return {Kind::numbers, apart(x[0], y[0]), std::abs(y[0])};
  return {Kind::numbers, magnitude(apart(x[0], y[0]), apart(x[1], y[1])), magnitude(y[0], y[1])};
}

}  // namespace dlscope::core
