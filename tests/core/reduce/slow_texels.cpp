#include "slow_texels.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/statistics/value_summary.h"
#include "core/tensor/element.h"

namespace dlscope::core::test {
namespace {

struct Sums {
  std::uint8_t flags = 0;
  double min = std::numeric_limits<double>::infinity(), max = -min;
  long double sum = 0;
  std::uint64_t count = 0;

  void add(double x) {
    if (std::isnan(x)) {
      flags |= kTexelNan;
    } else if (std::isinf(x)) {
      flags |= x > 0 ? kTexelPosInf : kTexelNegInf;
    } else {
      min = std::min(min, x);
      max = std::max(max, x);
      sum += static_cast<long double>(x);
      ++count;
    }
  }
};

double number_of(DType dtype, const Value& value) {
  if (value.kind != ValueKind::complex) return Number::of(value).as_double();
  static_cast<void>(dtype);
  if (std::isnan(value.real) || std::isnan(value.imaginary)) return std::numeric_limits<double>::quiet_NaN();
  return std::hypot(value.real, value.imaginary);
}

struct Judge {
  DType dtype;
  LayoutView layout;
  const std::byte* data;
  const CellAxes& axes;

  void set(std::vector<std::int64_t>& index, const std::vector<std::uint8_t>& line, std::int64_t cell) const {
    for (std::size_t i = line.size(); i-- > 0;) {
      index[line[i]] = cell % layout.shape[line[i]];
      cell /= layout.shape[line[i]];
    }
  }
  // The same of axes that run, reversed ones from their last index on.
  void set_running(std::vector<std::int64_t>& index, const std::vector<std::uint8_t>& line, std::int64_t cell) const {
    set(index, line, cell);
    for (const std::uint8_t axis : line) {
      if (axes.at[axis] < 0) index[axis] = layout.shape[axis] - 1 - index[axis];
    }
  }
  void add_element(const std::vector<std::int64_t>& index, Sums& to) const {
    std::int64_t bit = 0;
    for (std::size_t d = 0; d < index.size(); ++d) bit += layout.shape[d] > 1 ? index[d] * layout.stride_bits[d] : 0;
    const std::int64_t byte = bit >> 3;
    for (unsigned lane = 0; lane < dtype.lanes; ++lane) {
      const Value value =
          decode_element(dtype, {data + byte, dtype.item_bits() / 8 + 2}, static_cast<std::size_t>(bit - byte * 8), lane);
      to.add(number_of(dtype, value));
    }
  }
  // Of the lanes, and of the axes from `first` on: one number, as NumPy would do it axis by axis from the last one on, but that an axis
  // is joined with the one behind it where both have the same value.
  void add_reduced(std::vector<std::int64_t>& index, std::size_t first, Sums& to) const {
    if (first == axes.reduced.size()) {
      Sums lanes;
      add_element(index, lanes);
      return add_result(lanes, axes.lanes, to);
    }
    std::size_t end = first;
    std::vector<std::uint8_t> joined;
    const CellValue value = axes.reduced[first].value;
    for (; end < axes.reduced.size() && axes.reduced[end].value == value; ++end) joined.push_back(axes.reduced[end].axis);
    std::int64_t count = 1;
    for (const std::uint8_t axis : joined) count *= layout.shape[axis];
    const bool with_lanes = end == axes.reduced.size() && axes.lanes == value;
    Sums cell;
    for (std::int64_t i = 0; i < count; ++i) {
      set(index, joined, i);
      if (with_lanes)
        add_element(index, cell);
      else
        add_reduced(index, end, cell);
    }
    add_result(cell, value, to);
  }
  static void add_result(const Sums& cell, CellValue value, Sums& to) {
    to.flags |= cell.flags;
    if (cell.count == 0) return;
    const double mean = static_cast<double>(cell.sum / static_cast<long double>(cell.count));
    to.add(value == CellValue::min ? cell.min : value == CellValue::max ? cell.max : mean);
  }
  void add_cell(std::int64_t row, std::int64_t column, std::int64_t channel, Sums& to) const {
    std::vector<std::int64_t> index = axes.at;
    if (axes.channel) index[*axes.channel] = channel;
    set_running(index, axes.down, row);
    set_running(index, axes.across, column);
    add_reduced(index, 0, to);
  }
};

bool close(double a, double b, double size) { return std::abs(a / 2 - b / 2) <= 1e-11 * size; }

}  // namespace

Texels slow_texels(DType dtype, LayoutView layout, const void* data, const CellAxes& axes, const CellWindow& w) {
  const Judge judge{dtype, layout, static_cast<const std::byte*>(data), axes};
  Texels out;
  out.method = TexelMethod::exact;
  out.resize({0, 0, static_cast<std::uint32_t>(w.texel_rows()), static_cast<std::uint32_t>(w.texel_columns())},
             static_cast<std::uint32_t>(count_channels(layout, axes)));
  for (std::size_t i = 0; i < out.size(); ++i) {
    const std::size_t texel = i % out.rect.size();
    const auto channel = static_cast<std::int64_t>(i / out.rect.size());
    const auto row = static_cast<std::int64_t>(texel / out.rect.columns) * w.row_step;
    const auto column = static_cast<std::int64_t>(texel % out.rect.columns) * w.column_step;
    Sums sums;
    for (std::int64_t r = row; r < std::min(row + w.row_step, w.rows); ++r) {
      for (std::int64_t c = column; c < std::min(column + w.column_step, w.columns); ++c)
        judge.add_cell(w.row + r, w.column + c, channel, sums);
    }
    out.flags[i] = static_cast<std::uint8_t>(sums.flags | (sums.count > 0 ? kTexelFinite : 0));
    if (sums.count == 0) continue;
    out.min[i] = sums.min;
    out.max[i] = sums.max;
    out.mean[i] = static_cast<double>(sums.sum / static_cast<long double>(sums.count));
  }
  return out;
}

std::string difference(const Texels& got, const Texels& expected, bool rounded) {
  if (got.rect != expected.rect || got.channels != expected.channels) return "another rectangle";
  for (std::size_t i = 0; i < got.size(); ++i) {
    const auto where = [&](const char* what, double g, double e) {
      return fmt::format("texel {}, {}: {} {} and not {}", i / got.rect.columns, i % got.rect.columns, what, g, e);
    };
    if (got.flags[i] != expected.flags[i]) return where("flags", got.flags[i], expected.flags[i]);
    const double size = std::max({std::abs(expected.min[i]), std::abs(expected.max[i]), 1e-300});
    const auto same = [&](double a, double b) { return rounded ? close(a, b, size) : a == b; };
    if (!same(got.min[i], expected.min[i])) return where("min", got.min[i], expected.min[i]);
    if (!same(got.max[i], expected.max[i])) return where("max", got.max[i], expected.max[i]);
    // A sum of doubles that overflows is answered with the nearer end of the range: such values are not what is judged here.
    if (size < 1e290 && !close(got.mean[i], expected.mean[i], size)) return where("mean", got.mean[i], expected.mean[i]);
  }
  return {};
}

}  // namespace dlscope::core::test
