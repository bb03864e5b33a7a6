#include "core/sharing/joint_window.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <numeric>

namespace dlscope::core {

WindowPlan::WindowPlan(const StridedSet& set, ByteRange window, std::uint64_t unit_bytes) {
  units_ = window.size() / unit_bytes;
  // From here on everything is in units of unit_bytes bytes, or for a set in bits of 1, 2 or 4 bits.
  std::uint64_t per_unit = unit_bytes;
  std::uint64_t begin = window.begin - set.base;
  std::uint64_t end = window.end - set.base;
  std::uint64_t hole = 0;
  if (!set.in_bytes()) {
    per_unit = std::gcd(std::uint64_t{8}, std::uint64_t{set.phase});
    for (const Axis& axis : set.axes.subspan(1)) per_unit = std::gcd(per_unit, axis.stride);
    per_unit = std::gcd(per_unit, set.axes.front().count);
    group_ = static_cast<unsigned>(8 / per_unit);
    hole = begin == 0 ? set.phase / per_unit : 0;
    begin = begin == 0 ? 0 : begin * 8 - set.phase;
    end = end * 8 - set.phase;
  }
  begin /= per_unit;
  end /= per_unit;
  AxisStorage scaled;
  scaled.axes[0] = {1, set.axes.front().count / per_unit};
  for (std::size_t i = 1; i < set.axes.size(); ++i) scaled.axes[i] = {set.axes[i].stride / per_unit, set.axes[i].count};
  std::uint64_t shift = 0;
  window_.axes = clip_axes(std::span(scaled.axes).first(set.axes.size()), begin, end, storage_, shift);
  if (empty()) return;
  window_.begin = begin > shift ? begin - shift : 0;
  window_.hole = hole + (shift > begin ? shift - begin : 0);
  window_.end = end - shift;
  cost_ = sum_set_cost(window_);
}

std::uint64_t WindowPlan::scratch_bytes() const {
  return cost_.bits / 8 + (group_ > 1 ? units_ / 8 : 0) + 3 * sizeof(std::uint64_t);
}

std::optional<BitWindow> WindowPlan::build(const std::stop_token& stop) const {
  if (empty()) {
    BitWindow nothing(units_, 0);
    if (!nothing.valid()) return std::nullopt;
    return nothing;
  }
  std::optional<BitWindow> set = build_sum_set(window_, stop);
  if (!set || group_ == 1) return set;
  return fold(*set, group_, stop);
}

std::uint64_t unit_of(const StridedSet& set) {
  if (!set.in_bytes()) return 1;
  std::uint64_t unit = set.axes.front().count;
  for (const Axis& axis : set.axes.subspan(1)) unit = std::gcd(unit, axis.stride);
  return unit;
}

std::uint64_t joint_unit(const StridedSet& a, const StridedSet& b) {
  const std::uint64_t distance = a.base > b.base ? a.base - b.base : b.base - a.base;
  return std::gcd(std::gcd(unit_of(a), unit_of(b)), distance);
}

bool within_budget(const OverlapBudget& budget, std::uint64_t units, std::uint64_t scratch_bytes) {
  return units <= budget.window_units && scratch_bytes <= budget.scratch_bytes;
}

}  // namespace dlscope::core
