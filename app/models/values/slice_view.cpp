#include "app/models/values/slice_view.h"

#include <algorithm>
#include <array>

namespace dlscope::app {

SliceView::SliceView(core::LayoutView whole, std::span<const core::AxisSlice> slice)
    : rank_(whole.shape.size()), item_bits_(whole.item_bits) {
  std::ranges::copy(whole.shape, whole_.begin());
  std::ranges::copy(whole.shape, shape_.begin());
  std::ranges::copy(whole.stride_bits, stride_bits_.begin());
  std::fill_n(start_.begin(), rank_, 0);
  std::fill_n(step_.begin(), rank_, 1);
  for (const core::AxisSlice& one : slice) {
    const std::size_t axis = one.axis;
    shape_[axis] = one.count;
    start_[axis] = one.start;
    step_[axis] = one.step == 0 ? 1 : one.step;
    // Strides of axes of length 1 may be anything, and are not used.
    if (whole_[axis] > 1) offset_bits_ += one.start * stride_bits_[axis];
    if (one.count > 1) stride_bits_[axis] *= one.step;
  }
  if (elements() == 0) offset_bits_ = 0;
}

std::uint64_t SliceView::elements() const {
  std::uint64_t product = 1;  // cannot overflow: not more than the tensor's
  for (std::size_t axis = 0; axis < rank_; ++axis) product *= static_cast<std::uint64_t>(shape_[axis]);
  return product;
}

std::uint64_t SliceView::in_tensor(std::uint64_t element) const {
  std::array<std::int64_t, core::kMaxRank> at{};
  core::unravel(layout(), element, {at.data(), rank_});
  std::uint64_t number = 0;
  for (std::size_t axis = 0; axis < rank_; ++axis)
    number = number * static_cast<std::uint64_t>(whole_[axis]) + static_cast<std::uint64_t>(start_[axis] + at[axis] * step_[axis]);
  return number;
}

std::optional<std::uint64_t> SliceView::in_slice(std::uint64_t element) const {
  std::array<std::int64_t, core::kMaxRank> at{};
  core::unravel({{whole_.data(), rank_}, {stride_bits_.data(), rank_}, item_bits_}, element, {at.data(), rank_});
  std::uint64_t number = 0;
  for (std::size_t axis = 0; axis < rank_; ++axis) {
    const std::int64_t way = at[axis] - start_[axis], index = way / step_[axis];
    if (way % step_[axis] != 0 || index < 0 || index >= shape_[axis]) return std::nullopt;
    number = number * static_cast<std::uint64_t>(shape_[axis]) + static_cast<std::uint64_t>(index);
  }
  return number;
}

}  // namespace dlscope::app
