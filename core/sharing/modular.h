// Linear congruences, by Euclid's algorithm.
#pragma once

#include <cstdint>
#include <utility>

namespace dlscope::core {

// The x in [0, q) with p x = value (mod q). Needs p > 0 and q > 0 without a common divisor, and magnitudes below 2^62.
[[nodiscard]] inline std::int64_t solve_residue(std::int64_t value, std::int64_t p, std::int64_t q) {
  __extension__ using Wide = __int128;
  std::int64_t residue = value % q;
  if (residue < 0) residue += q;
  if (p % q == 1 % q) return residue;
  std::int64_t a = q, b = p % q, x = 0, y = 1;  // y becomes the inverse of p
  while (b != 0) {
    const std::int64_t ratio = a / b;
    a = std::exchange(b, a - ratio * b);
    x = std::exchange(y, x - ratio * y);
  }
  if (x < 0) x += q;
  return static_cast<std::int64_t>(static_cast<Wide>(residue) * x % q);
}

}  // namespace dlscope::core
