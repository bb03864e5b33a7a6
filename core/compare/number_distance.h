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
  // Of finite values, what is too large for a double is the largest one: an infinity stands for an infinity only.
  static constexpr Number kLargest = static_cast<Number>(std::numeric_limits<double>::max());

  enum class Kind : std::uint8_t { equal, both_nan, one_nan, numbers } kind = Kind::equal;
  // Of `numbers`.
  Number apart = 0;         // how far they are apart; infinite where that is too large for a Number
  Number size = 0, of = 0;  // the same, and the second one from zero, of both values times `scale`
  Number scale = 1;         // less where an unscaled one would be too large for a Number
  bool finite = true;       // both values
  bool of_zero = false;     // the second one is 0

  [[nodiscard]] Number absolute() const { return finite ? std::min(apart, kLargest) : apart; }
  [[nodiscard]] Number relative() const {
    return of_zero || !finite ? std::numeric_limits<Number>::infinity() : std::min(size / of, kLargest);
  }
  [[nodiscard]] bool inside(Tolerance tolerance) const {
    return finite && size <= scale * static_cast<Number>(tolerance.absolute) + static_cast<Number>(tolerance.relative) * of;
  }
};

// No distance of finite numbers is too large for a Number once both are scaled by it, complex ones included.
inline constexpr double kFarScale = 0.25;

// As many numbers in x as in y: 1 or 2.
template <class Number>
[[nodiscard]] NumberDistance<Number> distance_of(std::span<const Number> x, std::span<const Number> y) {
  using Kind = typename NumberDistance<Number>::Kind;
  if (std::ranges::equal(x, y)) return {};
  const auto is_nan = [](Number v) { return std::isnan(v); };
  const bool nan_x = std::ranges::any_of(x, is_nan), nan_y = std::ranges::any_of(y, is_nan);
  if (nan_x || nan_y) return {nan_x && nan_y ? Kind::both_nan : Kind::one_nan};
  NumberDistance<Number> out{.kind = Kind::numbers};
  // Equal infinities of a complex number's part have no distance; their difference would be NaN.
  const auto apart = [&](std::size_t i) { return x[i] == y[i] ? Number{0} : std::abs(out.scale * x[i] - out.scale * y[i]); };
  const auto measure = [&] {
    out.size = x.size() == 1 ? apart(0) : magnitude(apart(0), apart(1));
    out.of = y.size() == 1 ? std::abs(out.scale * y[0]) : magnitude(out.scale * y[0], out.scale * y[1]);
  };
  measure();
  out.apart = out.size;
  out.of_zero = out.of == 0;
  if (std::isinf(out.size) || std::isinf(out.of)) {
    out.scale = kFarScale;
    measure();
    out.finite = !std::isinf(out.size) && !std::isinf(out.of);
  }
  return out;
}

}  // namespace dlscope::core
