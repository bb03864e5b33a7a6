#include "core/reduce/cell_axes.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace dlscope::core {
namespace {

constexpr std::int64_t kMaxCells = std::int64_t{1} << 62;

Result<std::int64_t> count_along(LayoutView layout, const std::vector<std::uint8_t>& axes) {
  std::int64_t cells = 1;
  for (const std::uint8_t axis : axes) {
    if (__builtin_mul_overflow(cells, layout.shape[axis], &cells) || cells > kMaxCells)
      return fail(ErrorKind::unsupported,
                  "there are more cells in one direction than can be counted: let fewer axes run that way");
  }
  return cells;
}

}  // namespace

const char* cell_value_name(CellValue value) {
  static constexpr const char* kNames[] = {"mean", "min", "max"};
  return kNames[static_cast<std::size_t>(value)];
}

Result<CellCounts> count_cells(LayoutView layout, const CellAxes& axes) {
  const std::size_t rank = layout.shape.size();
  if (axes.at.size() != rank)
    return fail(ErrorKind::invalid, fmt::format("{} indices for a tensor of {} axes", axes.at.size(), rank));
  std::vector<std::uint8_t> named = axes.down;
  named.insert(named.end(), axes.across.begin(), axes.across.end());
  for (const ReducedAxis& reduced : axes.reduced) named.push_back(reduced.axis);
  if (axes.channel) named.push_back(*axes.channel);
  std::array<bool, 256> used{};
  for (const std::uint8_t axis : named) {
    if (axis >= rank) return fail(ErrorKind::invalid, fmt::format("there is no axis {}: the tensor has {}", axis, rank));
    if (used[axis]) return fail(ErrorKind::invalid, fmt::format("axis {} is named twice", axis));
    used[axis] = true;
  }
  if (const std::int64_t channels = count_channels(layout, axes); channels < 1 || channels > kMaxChannels)
    return fail(ErrorKind::invalid,
                fmt::format("an image has 1 to {} channels, and axis {} has {}", kMaxChannels, *axes.channel, channels));
  for (std::size_t d = 0; d < rank; ++d) {
    if (!used[d] && (axes.at[d] < 0 || axes.at[d] >= layout.shape[d]))
      return fail(ErrorKind::invalid, fmt::format("index {} on axis {} of size {}", axes.at[d], d, layout.shape[d]));
  }
  const auto rows = count_along(layout, axes.down);
  if (!rows) return std::unexpected(rows.error());
  const auto columns = count_along(layout, axes.across);
  if (!columns) return std::unexpected(columns.error());
  return CellCounts{*rows, *columns};
}

std::int64_t count_channels(LayoutView layout, const CellAxes& axes) { return axes.channel ? layout.shape[*axes.channel] : 1; }

CellAxes channel_axes(const CellAxes& axes, std::int64_t channel) {
  CellAxes out = axes;
  if (axes.channel) out.at[*axes.channel] = channel;
  out.channel.reset();
  return out;
}

Result<void> check_window(CellCounts cells, const CellWindow& w) {
  const auto within = [](std::int64_t first, std::int64_t count, std::int64_t all) {
    return first >= 0 && count >= 0 && first <= all && count <= all - first;
  };
  if (!within(w.row, w.rows, cells.rows) || !within(w.column, w.columns, cells.columns))
    return fail(ErrorKind::invalid, "the part asked for is not part of the tensor");
  if (w.row_step < 1 || w.column_step < 1 || w.row_step > kMaxCells || w.column_step > kMaxCells)
    return fail(ErrorKind::invalid, "a texel has at least one cell");
  return {};
}

CellLine::CellLine(LayoutView layout, const std::vector<std::uint8_t>& axes) {
  for (std::size_t i = axes.size(); i-- > 0;) {
    const std::int64_t count = layout.shape[axes[i]], stride = layout.stride_bits[axes[i]];
    length_ *= count;
    if (count == 1) continue;
    std::int64_t span = 0;
    const bool joins = !axes_.empty() && !is_capped(stride) &&
                       !__builtin_mul_overflow(axes_.back().stride, axes_.back().count, &span) && span == stride;
    if (joins)
      axes_.back().count *= count;
    else
      axes_.push_back({stride, count});
  }
}

std::int64_t CellLine::bit(std::int64_t cell) const {
  std::int64_t bit = 0;
  for (const Axis& axis : axes_) {
    bit += cell % axis.count * axis.stride;
    cell /= axis.count;
  }
  return bit;
}

bool CellLine::repeats() const {
  return std::ranges::all_of(axes_, [](const Axis& axis) { return axis.stride == 0; });
}

AffineAxes CellLine::all() const {
  AffineAxes out;
  for (const Axis& axis : axes_) out.axes.push_back({axis.stride, static_cast<std::uint64_t>(axis.count)});
  return out;
}

// A stretch of several whole inner lines is one piece; what begins or ends inside one is divided further.
void CellLine::add_pieces(std::size_t axes, std::int64_t from, std::int64_t to, std::int64_t origin,
                          std::vector<AffineAxes>& out) const {
  if (from >= to) return;
  if (axes == 0) {
    out.push_back({.origin = origin, .axes = {}});
    return;
  }
  const Axis& outer = axes_[axes - 1];
  std::int64_t inner = 1;
  for (std::size_t i = 0; i + 1 < axes; ++i) inner *= axes_[i].count;
  const auto line = [&](std::int64_t index, std::int64_t begin, std::int64_t end) {
    add_pieces(axes - 1, begin, end, origin + index * outer.stride, out);
  };
  const std::int64_t first = (from + inner - 1) / inner, last = to / inner;  // whole inner lines
  if (first > last) return line(last, from - last * inner, to - last * inner);
  if (from < first * inner) line(first - 1, from - (first - 1) * inner, inner);
  if (first < last) {
    AffineAxes whole{.origin = origin + first * outer.stride, .axes = {}};
    for (std::size_t i = 0; i + 1 < axes; ++i)
      whole.axes.push_back({axes_[i].stride, static_cast<std::uint64_t>(axes_[i].count)});
    whole.axes.push_back({outer.stride, static_cast<std::uint64_t>(last - first)});
    out.push_back(std::move(whole));
  }
  if (last * inner < to) line(last, 0, to - last * inner);
}

std::vector<AffineAxes> CellLine::pieces(std::int64_t from, std::int64_t to) const {
  std::vector<AffineAxes> out;
  add_pieces(axes_.size(), from, to, 0, out);
  return out;
}

std::int64_t first_cell_bit(LayoutView layout, const CellAxes& axes) {
  std::int64_t bit = 0;
  for (std::size_t d = 0; d < layout.shape.size(); ++d) {
    const auto has = [d](const std::vector<std::uint8_t>& list) { return std::ranges::find(list, d) != list.end(); };
    const bool is_reduced = std::ranges::find(axes.reduced, d, &ReducedAxis::axis) != axes.reduced.end();
    if (layout.shape[d] <= 1) continue;
    if (has(axes.down) || has(axes.across))
      bit += axes.at[d] < 0 ? (layout.shape[d] - 1) * layout.stride_bits[d] : 0;
    else if (!is_reduced && axes.channel != d)
      bit += axes.at[d] * layout.stride_bits[d];
  }
  return bit;
}

}  // namespace dlscope::core
