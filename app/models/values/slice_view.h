// SliceView: a slice of a tensor that keeps all axes of the tensor: an axis of which one index is taken has the size 1. Converts
// between the slice's elements and the tensor's. Allocates nothing: views make one in each frame. No I/O; thread: any, one at a time.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "core/tensor/axis_slice.h"
#include "core/tensor/layout.h"

namespace dlscope::app {

class SliceView {
 public:
  // Each entry must fit the layout (core::slice_layout()), which must be a valid one, of at most kMaxRank axes.
  SliceView(core::LayoutView whole, std::span<const core::AxisSlice> slice);

  // Valid as long as this object.
  [[nodiscard]] core::LayoutView layout() const {
    return {{shape_.data(), rank_}, {stride_bits_.data(), rank_}, item_bits_};
  }
  [[nodiscard]] std::int64_t offset_bits() const { return offset_bits_; }  // from the tensor's element [0,...,0] to the slice's
  [[nodiscard]] std::uint64_t elements() const;

  // The tensor's index that the slice's index `at` on that axis is.
  [[nodiscard]] std::int64_t index(int axis, std::int64_t at) const {
    const auto d = static_cast<std::size_t>(axis);
    return start_[d] + at * step_[d];
  }
  [[nodiscard]] std::int64_t step(int axis) const { return step_[static_cast<std::size_t>(axis)]; }

  // C-order numbers: of an element of the slice, in the tensor; and the other way round, nullopt where it is not in the slice.
  [[nodiscard]] std::uint64_t in_tensor(std::uint64_t element) const;
  [[nodiscard]] std::optional<std::uint64_t> in_slice(std::uint64_t element) const;

 private:
  using Axes = std::array<std::int64_t, core::kMaxRank>;  // the first rank_ are used, the others are not initialised
  std::size_t rank_;
  Axes whole_, shape_, stride_bits_, start_, step_;
  std::uint32_t item_bits_;
  std::int64_t offset_bits_ = 0;
};

}  // namespace dlscope::app
