// ColumnTotals: what rows of values add up to, column by column, finite values and special ones apart.
// thread: one.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "core/reduce/column_kernels.h"
#include "core/reduce/texel_reading.h"

namespace dlscope::core {

template <class T>
struct ColumnTotals {
  std::vector<T> min, max;
  std::vector<double> sum;
  std::vector<std::uint64_t> left_out;  // values that are no finite numbers
  std::vector<std::uint8_t> flags;      // what those were
  bool special = false;                 // some column has any

  void restart(std::size_t columns) {
    min.assign(columns, std::numeric_limits<T>::infinity());
    max.assign(columns, -std::numeric_limits<T>::infinity());
    sum.assign(columns, 0);
    left_out.assign(columns, 0);
    flags.assign(columns, 0);
    special = false;
  }

  // values[i] to column first + i.
  void add_row(const T* values, std::size_t count, std::size_t first) {
    if (add(values, count, {min.data() + first, max.data() + first, sum.data() + first})) note(values, count, first, 1);
  }

  // All of them to one column.
  void add_run(const T* values, std::size_t count, std::size_t column) {
    constexpr std::size_t kWide = 64;
    if (count >= kWide * 2) {
      T low[kWide], high[kWide];
      double sums[kWide];
      std::fill_n(low, kWide, std::numeric_limits<T>::infinity());
      std::fill_n(high, kWide, -std::numeric_limits<T>::infinity());
      std::fill_n(sums, kWide, 0.0);
      for (; count >= kWide; values += kWide, count -= kWide) {
        if (add(values, kWide, {low, high, sums})) note(values, kWide, column, 0);
      }
      min[column] = std::min(min[column], *std::min_element(low, low + kWide));
      max[column] = std::max(max[column], *std::max_element(high, high + kWide));
      for (const double one : sums) sum[column] += one;
    }
    for (std::size_t i = 0; i < count; ++i) add_value(values[i], column);
  }

  void add_value(T value, std::size_t column) {
    if (!std::isfinite(value)) return note(&value, 1, column, 0);
    min[column] = std::min(min[column], value);
    max[column] = std::max(max[column], value);
    sum[column] += static_cast<double>(value);
  }

 private:
  static bool add(const float* values, std::size_t count, const ColumnSpan<float>& to) {
    return column_kernels().add_f32(values, count, to);
  }
  static bool add(const double* values, std::size_t count, const ColumnSpan<double>& to) {
    return column_kernels().add_f64(values, count, to);
  }
  void note(const T* values, std::size_t count, std::size_t column, std::size_t step) {
    special = true;
    for (std::size_t i = 0; i < count; ++i) {
      if (std::isfinite(values[i])) continue;
      ++left_out[column + i * step];
      flags[column + i * step] |= special_flag(static_cast<double>(values[i]));
    }
  }
};

}  // namespace dlscope::core
