// Magnitude of a complex number: sqrt(real² + imaginary²), scaled by the larger part so that no square overflows or underflows.
// Not std::hypot, because that needs glibc 2.35, newer than the oldest glibc supported. Neither part may be NaN.
#pragma once

#include <algorithm>
#include <cmath>

namespace dlscope::core {

template <class Number>
[[nodiscard]] Number magnitude(Number real, Number imaginary) {
  const auto [small, large] = std::minmax({std::abs(real), std::abs(imaginary)});
  if (large == 0 || std::isinf(large)) return large;
  const Number ratio = small / large;
  return large * std::sqrt(1 + ratio * ratio);
}

}  // namespace dlscope::core
