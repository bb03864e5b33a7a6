#include "core/elements/memory_order.h"

#include <algorithm>

namespace dlscope::core {
namespace {

// One axis as it is walked, from its lowest address up.
struct WalkedAxis {
  std::int64_t stride_bits;  // > 0
  std::int64_t index_step;   // of the value's index; negative when the axis is walked backwards
  std::uint64_t count;       // > 1
};

void append(AffineAxes& to, std::int64_t step, std::uint64_t count) {
  if (!to.axes.empty()) {
    AffineAxes::Axis& inner = to.axes.back();
    std::int64_t span = 0;
    if (!__builtin_mul_overflow(inner.step, static_cast<std::int64_t>(inner.count), &span) && span == step) {
      inner.count *= count;
      return;
    }
  }
  to.axes.push_back({step, count});
}

}  // namespace

std::int64_t AffineAxes::at(std::uint64_t place) const {
  std::int64_t value = origin;
  for (const Axis& axis : axes) {
    value += axis.step * static_cast<std::int64_t>(place % axis.count);
    place /= axis.count;
  }
  return value;
}

AffineCursor::AffineCursor(const AffineAxes& axes, std::uint64_t from, std::uint64_t to)
    : axes_(axes), place_(from), to_(to), value_(axes.origin) {
  for (std::size_t i = 0; i < axes.axes.size(); ++i) {
    const AffineAxes::Axis& axis = axes.axes[i];
    position_[i] = from % axis.count;
    value_ += axis.step * static_cast<std::int64_t>(position_[i]);
    from /= axis.count;
  }
}

bool AffineCursor::next(AffineRun& run, std::uint64_t most) {
  if (place_ >= to_) return false;
  if (axes_.axes.empty()) {  // one place
    run = {place_, value_, 0, 1};
    ++place_;
    return true;
  }
  const AffineAxes::Axis& inner = axes_.axes.front();
  const std::uint64_t count = std::min({inner.count - position_[0], to_ - place_, most});
  run = {place_, value_, inner.step, count};
  place_ += count;
  position_[0] += count;
  value_ += inner.step * static_cast<std::int64_t>(count);
  for (std::size_t i = 0; position_[i] == axes_.axes[i].count && i + 1 < axes_.axes.size(); ++i) {
    value_ += axes_.axes[i + 1].step - axes_.axes[i].step * static_cast<std::int64_t>(axes_.axes[i].count);
    position_[i] = 0;
    ++position_[i + 1];
  }
  return true;
}

MemoryOrder::MemoryOrder(LayoutView layout, DType dtype, Address address) : value_bits_(dtype.bits) {
  std::array<WalkedAxis, kMaxRank + 1> walked{};
  std::size_t count = 0;
  if (dtype.lanes > 1) walked[count++] = {dtype.bits, 1, dtype.lanes};
  std::int64_t weight = dtype.lanes;  // of one step along the axis, in indices
  std::int64_t first_bit = 0, first_index = 0;
  for (std::size_t d = layout.shape.size(); d-- > 0;) {
    const std::int64_t n = layout.shape[d], stride = layout.stride_bits[d];
    if (n == 0) {
      places_ = 0;
      return;
    }
    if (n > 1 && stride == 0) {
      repeats_ *= static_cast<std::uint64_t>(n);
      last_repeat_ += static_cast<std::uint64_t>((n - 1) * weight);
    } else if (n > 1) {
      const bool backwards = stride < 0;
      if (backwards) {
        first_bit += (n - 1) * stride;
        first_index += (n - 1) * weight;
      }
      walked[count++] = {backwards ? -stride : stride, backwards ? -weight : weight, static_cast<std::uint64_t>(n)};
    }
    weight *= n;
  }
  const auto used = std::span(walked).first(count);
  std::ranges::stable_sort(used, {}, &WalkedAxis::stride_bits);
  for (const WalkedAxis& axis : used) {
    append(bits_, axis.stride_bits, axis.count);
    append(indices_, axis.index_step, axis.count);
    places_ *= axis.count;
  }
  base_ = address + static_cast<std::uint64_t>(first_bit >> 3);  // rounded down
  bits_.origin = first_bit & 7;
  indices_.origin = first_index;
}

}  // namespace dlscope::core
