// Moments: count, sum and sum of squared differences from the mean, combined block by block, with bounds on their rounding errors.
// combine() is the pairwise update of Chan, Golub and LeVeque (1983), with sums in double-double arithmetic; its own error is part of the
// bounds. The last bits depend on the order of combining, so callers keep a fixed one. thread: any; plain values.
#pragma once

#include <cstdint>

#include "core/statistics/block_kernels.h"

namespace dlscope::core {

// A number as the sum of two doubles, about 106 bits of precision (Knuth's two-sum): adding up 2^50 blocks loses nothing that matters.
struct DoubleDouble {
  double high = 0, low = 0;

  void add(double value);
  void add(DoubleDouble other) {
    add(other.high);
    add(other.low);
  }
  [[nodiscard]] double value() const { return high + low; }
};

struct Moments {
  std::uint64_t count = 0;
  int exponent = 0;      // everything below is of x * 2^-exponent; 0 but for doubles near the ends of their range
  DoubleDouble sum;      // of the values
  double squares = 0;    // of the differences from the mean
  double sum_error = 0;  // bounds: the true sum is within sum +- sum_error
  double squares_error = 0;

  void combine(const Moments& other);
  // Moves every value by `value`; exponent 0.
  void add_to_each(double value);
  // As if every value stood there that often.
  void repeat(std::uint64_t times);

  [[nodiscard]] double mean() const { return sum.value() / static_cast<double>(count); }  // scaled; count > 0
};

// Whether a quick loop's result is valid: no NaN or infinity, no overflow, nothing lost to subnormals or to cancellation.
[[nodiscard]] bool is_plain(const FloatBlock& block, FloatType type, std::uint32_t count);

[[nodiscard]] Moments moments_of(const FloatBlock& block, FloatType type, std::uint32_t count);
[[nodiscard]] Moments moments_of(const CarefulBlock& block);
// Of unsigned types the moments are those of x - 2^(bits - 1), as IntBlock has them; see add_to_each(). Not for a block that is too_wide.
[[nodiscard]] Moments moments_of(const IntBlock& block, std::uint32_t count);
// The same for 64-bit integers whose differences do not fit into 64 bits.
[[nodiscard]] Moments moments_of_wide(const std::byte* values, std::uint32_t count, bool is_unsigned);
// `count` values that are all `value`.
[[nodiscard]] Moments moments_of_equal(double value, std::uint64_t count);

// Mean and standard deviation with their error bounds. All NaN if the count is 0.
struct Spread {
  double mean = 0, mean_error = 0;
  double std = 0, std_error = 0;  // over all values (ddof 0)
};
[[nodiscard]] Spread spread_of(const Moments& moments);

}  // namespace dlscope::core
