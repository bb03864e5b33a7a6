// Sums of floor((a k + b) / m), and the first k for which a progression modulo m falls into a range, both by Euclid's algorithm.
// Used to compare an arithmetic progression with rows of unrelated strides, such as x.ravel()[::7] with a tile. Pure functions;
// thread: any.
#pragma once

#include <cstdint>
#include <optional>

namespace dlscope::core {

// The sum of floor((a k + b) / m) for 0 <= k < n, modulo 2^64; differences of such sums that are counts below 2^64 are exact.
// m > 0; n, m, a and b below 2^62. (Algorithm: floor_sum of the AtCoder Library; here with 128-bit intermediate values.)
[[nodiscard]] std::uint64_t floor_sum(std::uint64_t n, std::uint64_t m, std::uint64_t a, std::uint64_t b);

// The number of k with 0 <= k < n and (a k + c) mod m < width. Needs a, c < m and width <= m.
// Follows from: floor((x + m - width) / m) - floor(x / m) is 1 exactly if x mod m >= width.
[[nodiscard]] inline std::uint64_t count_residues_below(std::uint64_t n, std::uint64_t m, std::uint64_t a, std::uint64_t c,
                                                        std::uint64_t width) {
  return n + floor_sum(n, m, a, c) - floor_sum(n, m, a, c + (m - width));
}

// The lowest k >= 0 with (a k + c) mod m < width; nullopt: there is none. Needs a, c < m and 0 < width <= m.
[[nodiscard]] std::optional<std::uint64_t> first_residue_below(std::uint64_t m, std::uint64_t a, std::uint64_t c,
                                                               std::uint64_t width);

}  // namespace dlscope::core
