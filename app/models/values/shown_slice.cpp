#include "app/models/values/shown_slice.h"

#include <algorithm>
#include <utility>

#include "app/models/values/slice_view.h"

namespace dlscope::app {

std::vector<core::AxisSlice> shown_slice(core::LayoutView layout, const AxisMapping& mapping, const CellRange& cells) {
  const SliceView view(layout, mapping.slice);
  const UnwrappedCells flat = unwrapped(view.layout(), mapping, cells.anchor, cells.head);
  const CellRange range{flat.anchor, flat.head};
  std::vector<core::AxisSlice> slice;
  const auto taken = [&](int axis, std::uint64_t first, std::uint64_t count) {
    const auto from = view.index(axis, static_cast<std::int64_t>(first));
    const bool is_index = std::ranges::any_of(mapping.slice, [&](const core::AxisSlice& one) {
      return one.step == 0 && static_cast<int>(one.axis) == axis;
    });
    slice.push_back({static_cast<std::uint32_t>(axis), from, static_cast<std::int64_t>(count),
                     is_index ? 0 : count == 1 ? 1 : view.step(axis)});
  };
  for (int axis = 0; axis < layout.rank(); ++axis) {
    const auto d = static_cast<std::size_t>(axis);
    if (axis == flat.mapping.row)
      taken(axis, range.first_row(), range.rows());
    else if (axis == flat.mapping.column)
      taken(axis, range.first_column(), range.columns());
    else
      slice.push_back({static_cast<std::uint32_t>(axis), view.index(axis, d < mapping.fixed.size() ? mapping.fixed[d] : 0), 1, 0});
  }
  return slice;
}

AxisMapping mapping_of_slice(const AxisMapping& before, int rank, std::vector<core::AxisSlice> slice) {
  AxisMapping out = before.fixed.size() == static_cast<std::size_t>(rank) ? before : default_mapping(rank);
  std::ranges::fill(out.fixed, 0);
  out.slice = std::move(slice);
  const auto is_index = [&](int axis) {
    return std::ranges::any_of(out.slice, [&](const core::AxisSlice& one) {
      return one.step == 0 && static_cast<int>(one.axis) == axis;
    });
  };
  if (rank < 2 || (!is_index(out.row) && !is_index(out.column))) return out;
  std::vector<int> axes;  // first those with more than one index, from the last one on
  for (const bool indexed : {false, true}) {
    for (int axis = rank; axis-- > 0;) {
      if (is_index(axis) == indexed) axes.push_back(axis);
    }
  }
  out.row = std::min(axes[0], axes[1]);
  out.column = std::max(axes[0], axes[1]);
  return out;
}

}  // namespace dlscope::app
