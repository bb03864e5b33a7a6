// Moments: count, mean and variance of values that are added block by block, with a bound on what rounding may have done.
// combine() is exact enough to be used in any number; the result depends on the order, so callers keep a fixed one.
#pragma once

#include <cstdint>

#include "core/statistics/block_kernels.h"

namespace dlscope::core {

// An unevaluated sum of two doubles: about 106 bits, so that adding up 2^50 blocks loses nothing.
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

// Whether the quick loop's answer may be used: no NaN or infinity, no overflow, nothing lost to subnormals or cancellation.
[[nodiscard]] bool is_plain(const FloatBlock& block, FloatType type, std::uint32_t count);

[[nodiscard]] Moments moments_of(const FloatBlock& block, FloatType type, std::uint32_t count);
[[nodiscard]] Moments moments_of(const CarefulBlock& block);
// The values less 2^(bits - 1) where unsigned; the block is not too_wide.
[[nodiscard]] Moments moments_of(const IntBlock& block, std::uint32_t count);
// The same from 64-bit integers of any spread.
[[nodiscard]] Moments moments_of_wide(const std::byte* values, std::uint32_t count, bool is_unsigned);
// `count` values that are all `value`.
[[nodiscard]] Moments moments_of_equal(double value, std::uint64_t count);

// What a person reads. NaN in all when there is no value.
struct Spread {
  double mean = 0, mean_error = 0;
  double std = 0, std_error = 0;  // over all values (ddof 0)
};
[[nodiscard]] Spread spread_of(const Moments& moments);

}  // namespace dlscope::core
