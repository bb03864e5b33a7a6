#include "core/compare/pair_order.h"

#include <algorithm>
#include <cstdlib>

namespace dlscope::core {
namespace {

// Of a tile, along either axis: what both sides touch stays in the second-level cache, and a stretch is worth a read of its own.
constexpr std::uint64_t kStretchBits = 512 * 8, kMinTile = 128, kMaxTile = 512;
constexpr std::int64_t kLineBits = 64 * 8;  // a cache line: axes with smaller steps share lines

std::uint64_t distance(std::int64_t step) { return static_cast<std::uint64_t>(std::abs(step)); }

}  // namespace

PairOrder::PairOrder(LayoutView a, LayoutView b, unsigned lanes, unsigned bits_a, unsigned bits_b) {
  std::vector<Axis> axes;
  Start start;
  std::int64_t lowest_a = 0, lowest_b = 0;
  if (lanes > 1) axes.push_back({bits_a, bits_b, 1, lanes});
  std::int64_t weight = lanes;
  for (std::size_t d = a.shape.size(); d-- > 0;) {
    const std::int64_t n = a.shape[d];
    if (n == 0) return;
    Axis axis{a.stride_bits[d], b.stride_bits[d], weight, static_cast<std::uint64_t>(n)};
    weight *= n;
    if (n == 1) continue;
    if (axis.a == 0 && axis.b == 0) {
      repeats_ *= axis.count;
      continue;
    }
    lowest_a += std::min<std::int64_t>(0, axis.a * (n - 1));
    lowest_b += std::min<std::int64_t>(0, axis.b * (n - 1));
    if (axis.a < 0 || (axis.a == 0 && axis.b < 0)) {
      start.a += axis.a * (n - 1);
      start.b += axis.b * (n - 1);
      start.index += axis.index * (n - 1);
      axis = {-axis.a, -axis.b, -axis.index, axis.count};
    }
    axes.push_back(axis);
  }
  base_a_ = lowest_a >> 3;  // rounded down
  base_b_ = lowest_b >> 3;
  start.a -= base_a_ * 8;
  start.b -= base_b_ * 8;
  // By the smaller of the two steps' sum: what is small in both comes innermost.
  std::ranges::stable_sort(axes, {}, [](const Axis& axis) { return distance(axis.a) + distance(axis.b); });
  std::size_t inner_a = 0, inner_b = 0;
  for (std::size_t i = 1; i < axes.size(); ++i) {
    if (distance(axes[i].a) < distance(axes[inner_a].a)) inner_a = i;
    if (distance(axes[i].b) < distance(axes[inner_b].b)) inner_b = i;
  }
  const auto shares_lines = [](std::int64_t step) { return step != 0 && std::abs(step) < kLineBits; };
  tile_ = std::clamp<std::uint64_t>(kStretchBits / std::max(bits_a, bits_b), kMinTile, kMaxTile);
  while (tile_ > kMinTile && !axes.empty() && std::min(axes[inner_a].count, axes[inner_b].count) <= tile_) tile_ /= 2;
  const bool apart = inner_a != inner_b && shares_lines(axes[inner_a].a) && shares_lines(axes[inner_b].b) &&
                     axes[inner_a].count > tile_ && axes[inner_b].count > tile_;
  if (!apart) {
    add_box(axes, start);
    return;
  }
  const Axis first = axes[inner_a], second = axes[inner_b];
  std::vector<Axis> rest;
  for (std::size_t i = 0; i < axes.size(); ++i) {
    if (i != inner_a && i != inner_b) rest.push_back(axes[i]);
  }
  rest.insert(rest.begin(), {first, second});
  add_tiled(rest, start);
}

// The first two axes in tiles; what is left over at their ends as boxes of its own.
void PairOrder::add_tiled(const std::vector<Axis>& axes, Start start) {
  const Axis x = axes[0], y = axes[1];
  const std::vector<Axis> rest(axes.begin() + 2, axes.end());
  const std::uint64_t whole_x = x.count / tile_, whole_y = y.count / tile_;
  const auto moved = [](Start from, const Axis& axis, std::uint64_t steps) {
    const auto by = static_cast<std::int64_t>(steps);
    return Start{from.a + axis.a * by, from.b + axis.b * by, from.index + axis.index * by};
  };
  const auto scaled = [this](const Axis& axis, std::uint64_t count) {
    const auto by = static_cast<std::int64_t>(tile_);
    return Axis{axis.a * by, axis.b * by, axis.index * by, count};
  };
  const auto add = [&](std::vector<Axis> inner, Start at) {
    inner.insert(inner.end(), rest.begin(), rest.end());
    add_box(inner, at);
  };
  const auto cut = [](Axis axis, std::uint64_t count) {
    axis.count = count;
    return axis;
  };
  add({cut(x, tile_), cut(y, tile_), scaled(x, whole_x), scaled(y, whole_y)}, start);
  boxes_.back().tile = tile_ * tile_;
  const std::uint64_t rest_x = x.count - whole_x * tile_, rest_y = y.count - whole_y * tile_;
  if (rest_x > 0) add({cut(x, rest_x), y}, moved(start, x, whole_x * tile_));
  if (rest_y > 0) add({cut(y, rest_y), cut(x, whole_x * tile_)}, moved(start, y, whole_y * tile_));
}

void PairOrder::add_box(const std::vector<Axis>& axes, Start start) {
  PairBox box{.count = 1, .bits_a = {start.a, {}}, .bits_b = {start.b, {}}, .indices = {start.index, {}}};
  const auto append = [](AffineAxes& to, std::int64_t step, std::uint64_t count) {
    std::int64_t span = 0;
    if (!to.axes.empty() &&
        !__builtin_mul_overflow(to.axes.back().step, static_cast<std::int64_t>(to.axes.back().count), &span) && span == step)
      to.axes.back().count *= count;
    else
      to.axes.push_back({step, count});
  };
  for (const Axis& axis : axes) {
    if (axis.count == 1) continue;
    append(box.bits_a, axis.a, axis.count);
    append(box.bits_b, axis.b, axis.count);
    append(box.indices, axis.index, axis.count);
    box.count *= axis.count;
  }
  places_ += box.count;
  boxes_.push_back(std::move(box));
}

}  // namespace dlscope::core
