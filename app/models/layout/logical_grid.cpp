#include "app/models/layout/logical_grid.h"

#include <array>
#include <cassert>

namespace dlscope::app {

LogicalGrid::LogicalGrid(core::LayoutView layout, const AxisMapping& mapping) : layout_(layout), mapping_(&mapping) {
  assert(mapping.fixed.size() == layout.shape.size());
  std::uint64_t weight = 1;
  for (std::size_t d = layout.shape.size(); d-- > 0;) {
    const int axis = static_cast<int>(d);
    const std::int64_t size = layout.shape[d], stride = size > 1 ? layout.stride_bits[d] : 0;
    if (axis == mapping.row) {
      rows_ = size;
      row_stride_ = stride;
      row_weight_ = weight;
    } else if (axis == mapping.column) {
      columns_ = size;
      column_stride_ = stride;
      column_weight_ = weight;
    } else {
      first_element_ += static_cast<std::uint64_t>(mapping.fixed[d]) * weight;
      first_bit_ += mapping.fixed[d] * stride;  // cannot overflow: the layout was validated
    }
    weight *= static_cast<std::uint64_t>(size);
  }
}

std::uint64_t LogicalGrid::element(GridPlace place) const {
  return first_element_ + static_cast<std::uint64_t>(place.row) * row_weight_ +
         static_cast<std::uint64_t>(place.column) * column_weight_;
}

std::int64_t LogicalGrid::bit(GridPlace place) const {
  return first_bit_ + place.row * row_stride_ + place.column * column_stride_;
}

std::optional<GridPlace> LogicalGrid::place_of(std::uint64_t element) const {
  std::array<std::int64_t, core::kMaxRank> index{};
  core::unravel(layout_, element, {index.data(), layout_.shape.size()});
  GridPlace place;
  for (std::size_t d = 0; d < layout_.shape.size(); ++d) {
    const int axis = static_cast<int>(d);
    if (axis == mapping_->row)
      place.row = index[d];
    else if (axis == mapping_->column)
      place.column = index[d];
    else if (index[d] != mapping_->fixed[d])
      return std::nullopt;
  }
  return place;
}

}  // namespace dlscope::app
