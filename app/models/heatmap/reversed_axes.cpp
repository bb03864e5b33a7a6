#include "app/models/heatmap/reversed_axes.h"

#include <algorithm>

#include "app/models/heatmap/heatmap_axes.h"

namespace dlscope::app {
namespace {

void mirror_along(core::LayoutView layout, const core::CellAxes& axes, const std::vector<std::uint8_t>& along,
                  std::vector<std::int64_t>& index) {
  for (const std::uint8_t axis : along) {
    if (is_reversed(axes, axis)) index[axis] = layout.shape[axis] - 1 - index[axis];
  }
}

}  // namespace

void forget_directions(core::CellAxes& axes) {
  for (std::size_t d = 0; d < axes.at.size(); ++d) {
    const AxisRole role = role_of(axes, d);
    if (role != AxisRole::down && role != AxisRole::across) axes.at[d] = std::max<std::int64_t>(axes.at[d], 0);
  }
}

std::int64_t number_of_line(core::LayoutView layout, const core::CellAxes& axes, const std::vector<std::uint8_t>& along,
                            std::int64_t cell) {
  std::vector<std::int64_t> index(layout.shape.size());
  for (std::size_t i = along.size(); i-- > 0;) {
    const std::int64_t size = layout.shape[along[i]];
    index[along[i]] = cell % size;
    cell /= size;
  }
  mirror_along(layout, axes, along, index);
  std::int64_t number = 0;
  for (const std::uint8_t axis : along) number = number * layout.shape[axis] + index[axis];
  return number;
}

void mirror(core::LayoutView layout, const core::CellAxes& axes, std::vector<std::int64_t>& index) {
  mirror_along(layout, axes, axes.down, index);
  mirror_along(layout, axes, axes.across, index);
}

std::uint64_t mirrored_element(core::LayoutView layout, const core::CellAxes& axes, std::uint64_t element) {
  std::vector<std::int64_t> index(layout.shape.size());
  core::unravel(layout, element, index);
  mirror(layout, axes, index);
  std::uint64_t mirrored = 0;
  for (std::size_t d = 0; d < index.size(); ++d)
    mirrored = mirrored * static_cast<std::uint64_t>(layout.shape[d]) + static_cast<std::uint64_t>(index[d]);
  return mirrored;
}

}  // namespace dlscope::app
