#include "app/models/heatmap/heatmap_axes.h"

#include <fmt/format.h>

#include <algorithm>

#include "app/models/heatmap/reversed_axes.h"

namespace dlscope::app {
namespace {

using Axes = std::vector<std::uint8_t>;

bool has(const Axes& list, std::size_t axis) { return std::ranges::find(list, axis) != list.end(); }

std::int64_t cell_along(core::LayoutView layout, const Axes& axes, std::span<const std::int64_t> index) {
  std::int64_t cell = 0;
  for (const std::uint8_t axis : axes) cell = cell * layout.shape[axis] + index[axis];
  return cell;
}

void set_along(core::LayoutView layout, const Axes& axes, std::int64_t cell, std::vector<std::int64_t>& index) {
  for (std::size_t i = axes.size(); i-- > 0;) {
    const std::int64_t size = layout.shape[axes[i]];
    index[axes[i]] = cell % size;
    cell /= size;
  }
}

}  // namespace

core::CellAxes default_cell_axes(std::size_t rank) {
  core::CellAxes axes;
  axes.at.assign(rank, 0);
  if (rank > 0) axes.across.push_back(static_cast<std::uint8_t>(rank - 1));
  if (rank > 1) axes.down.push_back(static_cast<std::uint8_t>(rank - 2));
  return axes;
}

AxisRole role_of(const core::CellAxes& axes, std::size_t axis) {
  if (has(axes.down, axis)) return AxisRole::down;
  if (has(axes.across, axis)) return AxisRole::across;
  if (axes.channel == axis) return AxisRole::channel;
  const bool is_reduced = std::ranges::find(axes.reduced, axis, &core::ReducedAxis::axis) != axes.reduced.end();
  return is_reduced ? AxisRole::reduced : AxisRole::slider;
}

core::CellValue value_of_reduced(const core::CellAxes& axes, std::size_t axis) {
  const auto found = std::ranges::find(axes.reduced, axis, &core::ReducedAxis::axis);
  return found == axes.reduced.end() ? core::CellValue::mean : found->value;
}

void set_role(core::CellAxes& axes, std::size_t axis, AxisRole role, core::CellValue value) {
  const auto number = static_cast<std::uint8_t>(axis);
  for (Axes* const list : {&axes.down, &axes.across}) std::erase(*list, axis);
  std::erase_if(axes.reduced, [&](const core::ReducedAxis& one) { return one.axis == axis; });
  if (axes.channel == number) axes.channel.reset();
  if (role == AxisRole::down || role == AxisRole::across) {
    Axes& list = role == AxisRole::down ? axes.down : axes.across;
    list.insert(std::ranges::lower_bound(list, number), number);
  }
  if (role == AxisRole::reduced)
    axes.reduced.insert(std::ranges::lower_bound(axes.reduced, number, {}, &core::ReducedAxis::axis), {number, value});
  if (role == AxisRole::channel) axes.channel = number;
  forget_directions(axes);
}

void fit_cell_axes(std::span<const std::int64_t> shape, core::CellAxes& axes) {
  const auto no_channels = [&] {
    return axes.channel && (shape[*axes.channel] < 1 || shape[*axes.channel] > core::kMaxChannels);
  };
  if (axes.at.size() != shape.size() || no_channels()) {
    const core::CellValue lanes = axes.lanes;
    axes = default_cell_axes(shape.size());
    axes.lanes = lanes;
  }
  forget_directions(axes);
  for (std::size_t d = 0; d < shape.size(); ++d)
    axes.at[d] = std::clamp<std::int64_t>(axes.at[d], -1, std::max<std::int64_t>(shape[d] - 1, 0));
}

std::optional<std::uint64_t> element_of(core::LayoutView layout, const core::CellAxes& axes, CellAt cell, std::int64_t channel) {
  std::vector<std::int64_t> index = axes.at;
  for (const core::ReducedAxis& reduced : axes.reduced) {
    if (layout.shape[reduced.axis] > 1) return std::nullopt;
    index[reduced.axis] = 0;
  }
  if (axes.channel) index[*axes.channel] = channel;
  set_along(layout, axes.down, cell.row, index);
  set_along(layout, axes.across, cell.column, index);
  mirror(layout, axes, index);
  std::uint64_t element = 0;
  for (std::size_t d = 0; d < index.size(); ++d)
    element = element * static_cast<std::uint64_t>(layout.shape[d]) + static_cast<std::uint64_t>(index[d]);
  return element;
}

std::optional<CellAt> cell_of(core::LayoutView layout, const core::CellAxes& axes, std::uint64_t element) {
  std::vector<std::int64_t> index(layout.shape.size());
  core::unravel(layout, element, index);
  for (std::size_t d = 0; d < index.size(); ++d) {
    if (role_of(axes, d) == AxisRole::slider && index[d] != axes.at[d]) return std::nullopt;
  }
  mirror(layout, axes, index);
  return CellAt{cell_along(layout, axes.down, index), cell_along(layout, axes.across, index)};
}

bool show_element(core::LayoutView layout, core::CellAxes& axes, std::uint64_t element) {
  std::vector<std::int64_t> index(layout.shape.size());
  core::unravel(layout, element, index);
  bool moved = false;
  for (std::size_t d = 0; d < index.size(); ++d) {
    if (role_of(axes, d) != AxisRole::slider || axes.at[d] == index[d]) continue;
    axes.at[d] = index[d];
    moved = true;
  }
  return moved;
}

AxisMapping mapping_for_keys(const core::CellAxes& axes) {
  AxisMapping mapping;
  mapping.row = axes.down.empty() ? -1 : axes.down.back();
  mapping.column = axes.across.empty() ? -1 : axes.across.back();
  mapping.fixed = axes.at;
  return mapping;
}

bool shows_categories(core::DType dtype, const core::CellAxes& axes) {
  const auto code = static_cast<core::DTypeCode>(dtype.code);
  if (code != core::DTypeCode::int_ && code != core::DTypeCode::uint) return false;
  if (axes.channel || (dtype.lanes > 1 && axes.lanes == core::CellValue::mean)) return false;
  return std::ranges::none_of(axes.reduced, [](const core::ReducedAxis& one) { return one.value == core::CellValue::mean; });
}

std::string cells_text(const core::CellAxes& axes) {
  std::string out = "[";
  for (std::size_t d = 0; d < axes.at.size(); ++d) {
    if (d > 0) out += ", ";
    const AxisRole role = role_of(axes, d);
    out += role == AxisRole::slider    ? fmt::to_string(axes.at[d])
           : role == AxisRole::reduced ? core::cell_value_name(value_of_reduced(axes, d))
           : role == AxisRole::channel ? "channels"
           : is_reversed(axes, d)      ? "::-1"
                                       : ":";
  }
  return out + "]";
}

}  // namespace dlscope::app
