// Linear congruences and common divisors, by Euclid's algorithm.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <numeric>
#include <utility>

namespace dlscope::core {

// The greatest common divisor of `first` and all others. Quick if `first` is small and mostly divides the others, as bytes of an
// item divide strides. first > 0.
[[nodiscard]] inline std::uint64_t common_divisor(std::uint64_t first, std::initializer_list<std::uint64_t> others) {
  for (const std::uint64_t other : others) {
    if (const std::uint64_t rest = other % first; rest != 0) first = std::gcd(first, rest);
  }
  return first;
}

// The inverse of p modulo q: the y in [0, q) with p y = 1 (mod q); 0 if q is 1. Needs p > 0 and q > 0 without a common divisor,
// and magnitudes below 2^62.
[[nodiscard]] inline std::int64_t inverse_modulo(std::int64_t p, std::int64_t q) {
  std::int64_t a = q, b = p % q, x = 0, y = 1;  // y becomes the inverse of p
  while (b != 0) {
    const std::int64_t ratio = a / b;
    a = std::exchange(b, a - ratio * b);
    x = std::exchange(y, x - ratio * y);
  }
  return q == 1 ? 0 : x < 0 ? x + q : x;
}

// The x in [0, q) with p x = value (mod q), given the inverse of p.
[[nodiscard]] inline std::int64_t solve_with_inverse(std::int64_t value, std::int64_t inverse, std::int64_t q) {
  __extension__ using Wide = __int128;
  std::int64_t residue = value % q;
  if (residue < 0) residue += q;
  if (((residue | inverse) >> 31) == 0) return residue * inverse % q;  // 128-bit division costs several times as much
  return static_cast<std::int64_t>(static_cast<Wide>(residue) * inverse % q);
}

// The same. Needs p > 0 and q > 0 without a common divisor, and magnitudes below 2^62.
[[nodiscard]] inline std::int64_t solve_residue(std::int64_t value, std::int64_t p, std::int64_t q) {
  if (p % q == 1 % q) {
    const std::int64_t residue = value % q;
    return residue < 0 ? residue + q : residue;
  }
  return solve_with_inverse(value, inverse_modulo(p, q), q);
}

}  // namespace dlscope::core
