#include "core/statistics/moments.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <utility>

#include "core/base/checked_math.h"

namespace dlscope::core {
namespace {

constexpr double kDoubleUnit = 0x1p-53, kFloatUnit = 0x1p-24;
// Roundings one value meets in a lane of the quick loop: additions in a row, the difference and the last fold.
constexpr double kFloatRoundings = 20, kDoubleRoundings = kBlockBytes / 8;

// Exact: a + b == sum + error.
std::pair<double, double> two_sum(double a, double b) {
  const double sum = a + b;
  const double from_b = sum - a;
  return {sum, (a - (sum - from_b)) + (b - from_b)};
}

// To about 104 bits.
DoubleDouble divided(DoubleDouble value, double by) {
  const double quotient = value.high / by;
  return {quotient, (std::fma(-quotient, by, value.high) + value.low) / by};
}

void rescale(Moments& moments, int exponent) {
  const int shift = moments.exponent - exponent;
  moments.sum = {std::ldexp(moments.sum.high, shift), std::ldexp(moments.sum.low, shift)};
  moments.sum_error = std::ldexp(moments.sum_error, shift);
  moments.squares = std::ldexp(moments.squares, 2 * shift);
  moments.squares_error = std::ldexp(moments.squares_error, 2 * shift);
  moments.exponent = exponent;
}

// From sums about a shift: `unit` times `roundings` bounds the relative error of either.
Moments from_sums(std::uint64_t count, double shift, double sum, double squares, double unit, double roundings) {
  const auto n = static_cast<double>(count);
  Moments out;
  out.count = count;
  const double product = shift * n;
  out.sum.high = product;
  out.sum.low = std::fma(shift, n, -product);
  out.sum.add(sum);
  out.squares = std::max(0.0, squares - sum / n * sum);
  // The absolute values add up to at most sqrt(n * squares), by Cauchy and Schwarz.
  out.sum_error = unit * roundings * std::sqrt(n * squares);
  out.squares_error = unit * (roundings + 4) * squares + 2 * std::abs(sum) / n * out.sum_error + 4 * kDoubleUnit * squares;
  return out;
}

}  // namespace

void DoubleDouble::add(double value) {
  const auto [sum, error] = two_sum(high, value);
  const auto [top, rest] = two_sum(sum, low + error);
  high = top;
  low = rest;
}

void Moments::combine(const Moments& other) {
  if (other.count == 0) return;
  if (count == 0) {
    *this = other;
    return;
  }
  Moments right = other;
  if (right.exponent != exponent) {
    // Zeros have any exponent: they must not push tiny numbers out of a double's range.
    const auto all_zero = [](const Moments& m) { return m.squares == 0 && m.sum.high == 0; };
    const int common = all_zero(right) ? exponent : all_zero(*this) ? right.exponent : std::max(right.exponent, exponent);
    rescale(right, common);
    rescale(*this, common);
  }
  const auto n = static_cast<double>(count), m = static_cast<double>(right.count);
  // The means in more than double: they may lie much closer to each other than to 0.
  const DoubleDouble mine = divided(sum, n), theirs = divided(right.sum, m);
  const auto [difference, rest] = two_sum(theirs.high, -mine.high);
  const double apart = difference + (rest + (theirs.low - mine.low));
  const double weight = n * (m / (n + m));
  const double apart_error = 0x1p-98 * (std::abs(mine.high) + std::abs(theirs.high)) + 2 * kDoubleUnit * std::abs(apart) +
                             sum_error / n + right.sum_error / m;
  squares += right.squares + apart * apart * weight;
  squares_error += right.squares_error + (2 * std::abs(apart) + apart_error) * apart_error * weight + 4 * kDoubleUnit * squares;
  sum.add(right.sum);
  sum_error += right.sum_error;
  count += right.count;
}

bool is_plain(const FloatBlock& block, FloatType type, std::uint32_t count) {
  if (!std::isfinite(block.squares) || !std::isfinite(block.sum)) return false;
  // Smaller squares have lost bits to underflow, unless all differences are 0.
  const double smallest = type == FloatType::f64 ? 0x1p-900 : 0x1p-80;
  if (block.squares < smallest && block.min != block.max) return false;
  if (std::max(std::abs(block.min), std::abs(block.max)) > (type == FloatType::f64 ? 0x1p500 : 0x1p120)) return false;
  // The shift is far from the mean: little would be left of the squares.
  return block.sum / count * block.sum <= 0.9 * block.squares;
}

Moments moments_of(const FloatBlock& block, FloatType type, std::uint32_t count) {
  const bool is_double = type == FloatType::f64;
  return from_sums(count, block.shift, block.sum, block.squares, is_double ? kDoubleUnit : kFloatUnit,
                   is_double ? kDoubleRoundings : kFloatRoundings);
}

Moments moments_of(const CarefulBlock& block) {
  if (block.finite == 0) return {};
  Moments out = from_sums(block.finite, block.shift, block.sum, block.squares, kDoubleUnit, 2 * kDoubleRoundings);
  out.exponent = block.exponent;
  return out;
}

Moments moments_of(const IntBlock& block, std::uint32_t count) {
  Moments out = from_sums(count, static_cast<double>(block.shift), static_cast<double>(block.sum), block.squares, kDoubleUnit,
                          2 * kDoubleRoundings);
  if (block.squares < 0x1p53) {  // exact, and so is n times the result
    const auto sum = static_cast<Int128>(block.sum);
    const Int128 scaled = static_cast<Int128>(block.squares) * count - sum * sum;
    out.squares = static_cast<double>(scaled) / count;
    out.squares_error = 2 * kDoubleUnit * out.squares;
  }
  // The sum is an exact integer; only its size may exceed a double.
  const auto total = static_cast<Int128>(block.shift) * count + block.sum;
  out.sum = {};
  out.sum.add(std::ldexp(static_cast<double>(static_cast<std::int64_t>(total >> 32)), 32));
  out.sum.add(static_cast<double>(static_cast<std::uint32_t>(total)));
  out.sum_error = 0;
  return out;
}

Moments moments_of_wide(const std::byte* values, std::uint32_t count, bool is_unsigned) {
  const auto value_at = [&](std::uint32_t i) {
    std::uint64_t bits = 0;
    std::memcpy(&bits, values + std::size_t{i} * 8, 8);
    return static_cast<std::int64_t>(is_unsigned ? bits ^ (std::uint64_t{1} << 63) : bits);
  };
  Int128 total = 0;
  for (std::uint32_t i = 0; i < count; ++i) total += value_at(i);
  Moments out;
  out.count = count;
  out.sum.add(std::ldexp(static_cast<double>(static_cast<std::int64_t>(total >> 32)), 32));
  out.sum.add(static_cast<double>(static_cast<std::uint32_t>(total)));
  const double mean = out.mean();
  for (std::uint32_t i = 0; i < count; ++i) {
    const double difference = static_cast<double>(value_at(i)) - mean;
    out.squares += difference * difference;
  }
  // A value loses at most half a unit of its last place on the way to a double, as does the mean.
  const double each = 0x1p63 * kDoubleUnit * 4;
  out.squares_error = kDoubleUnit * (count + 4) * out.squares + count * each * each + 2 * each * std::sqrt(count * out.squares);
  return out;
}

Moments moments_of_equal(double value, std::uint64_t count) {
  return count == 0 ? Moments{} : from_sums(count, value, 0, 0, kDoubleUnit, 0);
}

void Moments::repeat(std::uint64_t times) {
  const auto n = static_cast<double>(times);
  count *= times;
  const double product = sum.high * n;
  const double low = sum.low * n + std::fma(sum.high, n, -product);
  sum = {product, 0};
  sum.add(low);
  squares *= n;
  sum_error *= n;
  squares_error *= n;
}

void Moments::add_to_each(double value) {
  const double product = value * static_cast<double>(count);
  sum.add({product, std::fma(value, static_cast<double>(count), -product)});
}

Spread spread_of(const Moments& moments) {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  if (moments.count == 0) return {nan, nan, nan, nan};
  const auto n = static_cast<double>(moments.count);
  const double mean = moments.mean();
  const double least = std::max(0.0, moments.squares - moments.squares_error);
  const double most = moments.squares + moments.squares_error;
  Spread out;
  out.mean = std::ldexp(mean, moments.exponent);
  out.mean_error = std::ldexp(moments.sum_error / n + 2 * kDoubleUnit * std::abs(mean), moments.exponent);
  out.std = std::ldexp(std::sqrt(moments.squares / n), moments.exponent);
  out.std_error =
      std::ldexp((std::sqrt(most / n) - std::sqrt(least / n)) + 4 * kDoubleUnit * std::sqrt(most / n), moments.exponent);
  return out;
}

}  // namespace dlscope::core
