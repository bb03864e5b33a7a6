// Sums of rounded-down fractions and first hits of a progression modulo something, both in the steps of Euclid's algorithm:
// what decides one arithmetic progression against rows it has no common stride with, such as x.ravel()[::7] against a tile.
#pragma once

#include <cstdint>
#include <optional>

namespace dlscope::core {

// The sum of floor((a k + b) / m) for 0 <= k < n, modulo 2^64: exact where differences of such sums are counts.
// m > 0; n, m, a and b below 2^62. (AtCoder Library, floor_sum; here with intermediate values of 128 bits.)
[[nodiscard]] std::uint64_t floor_sum(std::uint64_t n, std::uint64_t m, std::uint64_t a, std::uint64_t b);

// How many k with 0 <= k < n have (a k + c) mod m < width. a, c < m; width <= m.
// floor((x + m - width) / m) - floor(x / m) is 1 exactly when x mod m >= width.
[[nodiscard]] inline std::uint64_t count_residues_below(std::uint64_t n, std::uint64_t m, std::uint64_t a, std::uint64_t c,
                                                        std::uint64_t width) {
  return n + floor_sum(n, m, a, c) - floor_sum(n, m, a, c + (m - width));
}

// The lowest k >= 0 with (a k + c) mod m < width; nullopt: none. a, c < m; 0 < width <= m.
[[nodiscard]] std::optional<std::uint64_t> first_residue_below(std::uint64_t m, std::uint64_t a, std::uint64_t c,
                                                               std::uint64_t width);

}  // namespace dlscope::core
