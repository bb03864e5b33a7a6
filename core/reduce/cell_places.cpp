#include "core/reduce/cell_places.h"

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "core/base/checked_math.h"

namespace dlscope::core {

void append_axes(const AffineAxes& from, AffineAxes& to) {
  to.origin += from.origin;
  for (const AffineAxes::Axis& axis : from.axes) {
    if (axis.count == 1) continue;
    if (!to.axes.empty()) {
      AffineAxes::Axis& inner = to.axes.back();
      std::int64_t span = 0;
      if (!__builtin_mul_overflow(inner.step, static_cast<std::int64_t>(inner.count), &span) && span == axis.step) {
        inner.count *= axis.count;
        continue;
      }
    }
    to.axes.push_back(axis);
  }
}

namespace {

// A line of cells; along reversed axes the next cell is the one before.
CellLine line_of(LayoutView layout, const std::vector<std::uint8_t>& line, const CellAxes& axes) {
  std::vector<std::int64_t> strides(layout.stride_bits.begin(), layout.stride_bits.end());
  for (const std::uint8_t axis : line) {
    if (axes.at[axis] < 0 && layout.shape[axis] > 1) strides[axis] = -strides[axis];  // of a valid layout: not the least number
  }
  return {{layout.shape, strides, layout.item_bits}, line};
}

}  // namespace

CellPlaces::CellPlaces(const TensorValues& values, const CellAxes& axes)
    : value_bits(values.dtype.bits),
      down(line_of(values.layout, axes.down, axes)),
      across(line_of(values.layout, axes.across, axes)) {
  LayoutBounds bounds;
  static_cast<void>(check_layout(values.layout, bounds));
  const std::int64_t lowest = floor_div(bounds.lowest_bit, 8);
  base = values.address + static_cast<std::uint64_t>(lowest);  // modular: an offset in front of the address
  origin = first_cell_bit(values.layout, axes) - lowest * 8;
  const auto reduce = [this](std::int64_t stride, std::int64_t count, CellValue value) {
    if (count == 0) per_cell = 0;
    if (count <= 1 || stride == 0) return;
    if (stages.empty() || stages.back().value != value) stages.push_back({.places = {}, .count = 1, .value = value});
    stages.back().places.axes.push_back({stride, static_cast<std::uint64_t>(count)});
  };
  reduce(values.dtype.bits, values.dtype.lanes, axes.lanes);
  for (std::size_t i = axes.reduced.size(); i-- > 0;) {
    const ReducedAxis& one = axes.reduced[i];
    reduce(values.layout.stride_bits[one.axis], values.layout.shape[one.axis], one.value);
  }
  for (CellStage& stage : stages) {
    std::ranges::stable_sort(stage.places.axes, {}, [](const AffineAxes::Axis& axis) { return std::abs(axis.step); });
    append_axes(std::exchange(stage.places, {}), stage.places);
    for (const AffineAxes::Axis& axis : stage.places.axes) stage.count *= axis.count;
    append_axes(stage.places, reduced);
    per_cell *= stage.count;
  }
}

}  // namespace dlscope::core
