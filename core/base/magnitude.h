// Of a complex number: sqrt(real² + imaginary²), scaled by the larger part so that neither square overflows or vanishes. Not std::hypot,
// which wants a newer C library (glibc 2.35) than the oldest that is served. Neither part is NaN.
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
