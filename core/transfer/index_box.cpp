#include "core/transfer/index_box.h"

#include <algorithm>
#include <cstdlib>

namespace dlscope::core {

std::int64_t IndexBox::offset_in(LayoutView whole) const {
  std::int64_t bits = 0;
  for (std::size_t d = 0; d < whole.shape.size(); ++d) bits += start[d] * whole.stride_bits[d];
  return bits / 8;
}

// ---- Parts -----------------------------------------------------------------------------------------------------------

Parts::Parts(std::span<const std::int64_t> shape, std::uint64_t most) : shape_(shape) {
  for (const std::int64_t n : shape) elements_ *= static_cast<std::uint64_t>(n);
  inner_ = elements_;
  while (axis_ < shape.size() && inner_ > most) inner_ /= static_cast<std::uint64_t>(shape[axis_++]);
  // Axes [0, axis_) are divided: the last of them into ranges of as many indices as fit, the others into single indices.
  if (axis_ > 0) range_ = std::max<std::int64_t>(1, static_cast<std::int64_t>(most / std::max<std::uint64_t>(inner_, 1)));
}

bool Parts::next(IndexBox& part) {
  if (over_ || elements_ == 0) return false;
  std::ranges::copy(shape_, part.shape.begin());
  part.start = at_;
  part.elements = inner_;
  if (axis_ == 0) return over_ = true;
  for (std::size_t d = 0; d + 1 < axis_; ++d) part.shape[d] = 1;
  const std::size_t cut = axis_ - 1;
  part.shape[cut] = std::min(range_, shape_[cut] - at_[cut]);
  part.elements = inner_ * static_cast<std::uint64_t>(part.shape[cut]);
  advance(cut);
  return true;
}

void Parts::advance(std::size_t cut) {
  at_[cut] += range_;
  for (std::size_t d = cut; at_[d] >= shape_[d]; --d) {
    at_[d] = 0;
    if (d == 0) {
      over_ = true;
      return;
    }
    ++at_[d - 1];
  }
}

// ---- Tiles -----------------------------------------------------------------------------------------------------------

Tiles::Tiles(const IndexBox& part, LayoutView from, LayoutView to, std::uint64_t most) : part_(part), rank_(to.shape.size()) {
  constexpr std::int64_t kInTarget = 64, kInSource = 1024;  // elements; what copies transposed arrays fastest
  const auto in_target = [&](std::size_t d) { return std::abs(to.stride_bits[d]); };
  const auto in_source = [&](std::size_t d) {  // an axis along which there is nothing else to read is no neighbour
    return part.shape[d] <= 1 || from.stride_bits[d] == 0 ? INT64_MAX : std::abs(from.stride_bits[d]);
  };
  std::ranges::fill(sides_, 1);
  for (std::size_t d = 0; d < rank_; ++d) axes_[d] = rank_ - 1 - d;
  std::ranges::stable_sort(std::span(axes_).first(rank_), {}, in_target);
  const auto inner = std::ranges::find_if(axes(), [&](std::size_t d) { return part.shape[d] > 1; });
  if (inner != axes().end()) {
    widen(*inner, kInTarget, most);
    widen(*std::ranges::min_element(axes(), {}, in_source), kInSource, most);
  }
  for (const std::size_t d : axes()) widen(d, part.shape[d], most);
  for (std::size_t d = 0; d < rank_; ++d) count_ *= static_cast<std::uint64_t>((part.shape[d] + sides_[d] - 1) / sides_[d]);
}

void Tiles::widen(std::size_t axis, std::int64_t to, std::uint64_t most) {
  const std::uint64_t others = elements_ / static_cast<std::uint64_t>(sides_[axis]);
  const auto room = static_cast<std::int64_t>(std::min<std::uint64_t>(most / others, INT64_MAX));
  sides_[axis] = std::max(sides_[axis], std::min({to, part_.shape[axis], room}));
  elements_ = others * static_cast<std::uint64_t>(sides_[axis]);
}

IndexBox Tiles::at(std::uint64_t number) const {
  IndexBox tile;
  tile.elements = 1;
  for (const std::size_t d : axes()) {
    const auto along = static_cast<std::uint64_t>((part_.shape[d] + sides_[d] - 1) / sides_[d]);
    const std::int64_t begin = static_cast<std::int64_t>(number % along) * sides_[d];
    number /= along;
    tile.start[d] = part_.start[d] + begin;
    tile.shape[d] = std::min(sides_[d], part_.shape[d] - begin);
    tile.elements *= static_cast<std::uint64_t>(tile.shape[d]);
  }
  return tile;
}

std::array<std::int64_t, kMaxRank> Tiles::dense_strides(const IndexBox& tile, std::uint32_t item_bits) const {
  std::array<std::int64_t, kMaxRank> strides{};
  std::int64_t stride = item_bits;
  for (const std::size_t d : axes()) {
    strides[d] = stride;
    stride *= tile.shape[d];
  }
  return strides;
}

}  // namespace dlscope::core
