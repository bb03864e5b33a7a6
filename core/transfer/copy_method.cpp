#include "core/transfer/copy_method.h"

#include <algorithm>
#include <bit>
#include <functional>
#include <span>

namespace dlscope::core {
namespace {

constexpr auto kLine = static_cast<std::int64_t>(kLineBytes);

std::int64_t magnitude(std::int64_t stride) { return stride < 0 ? -stride : stride; }

bool makes_groups(std::int64_t count, std::int64_t pitch, std::int64_t item) {
  return pitch % item == 0 && pitch / item >= 2 && pitch / item <= 4 && count >= 1 && count <= pitch / item;
}

CopyMethod choose_method(const CopyWalk& walk) {
  const CopyAxis& inner = walk.inner;
  const CopyAxis& across = walk.across;
  const std::int64_t item = walk.item;
  const bool dense = walk.has_kernel && inner.to == item;
  if (across.count > 1) {
    const bool transposable = inner.to == item && across.from == item;
    if (transposable && walk.has_kernel) {
      if (makes_groups(across.count, inner.from, item)) return CopyMethod::split;
      if (inner.count <= 4 && across.to == inner.count * item) return CopyMethod::join;
      return CopyMethod::transpose;
    }
    return transposable && fills_tiles(walk) ? CopyMethod::transpose : CopyMethod::scattered;
  }
  if (dense && inner.from == -item) return CopyMethod::reverse;
  if (inner.from == 0) return CopyMethod::repeat;
  return dense && makes_groups(1, inner.from, item) ? CopyMethod::split : CopyMethod::spread;
}

// Whether every row of the target begins at a cache line.
bool lines_up(const CopyPlan& plan, const std::byte* to) {
  std::int64_t all = static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(to)) + plan.to_start;
  for (const CopyAxis& axis : std::span(plan.axes).first(plan.rank)) {
    if (axis.to >= kLine) all |= axis.to;
  }
  return all % kLine == 0;
}

std::int64_t bytes_of(const CopyPlan& plan) {
  std::int64_t bytes = plan.item;
  for (const CopyAxis& axis : std::span(plan.axes).first(plan.rank)) bytes *= axis.count;
  return bytes;
}

}  // namespace

bool fills_tiles(const CopyRectangle& walk) {
  return std::ranges::find(kTileItems, walk.item) != kTileItems.end() && walk.inner.count * walk.item >= 2 * kLine &&
         walk.across.count * walk.item >= 2 * kLine;
}

CopyWalk make_walk(const CopyPlan& plan, const std::byte* to) {
  constexpr std::int64_t kLongRun = 32;
  CopyWalk walk;
  walk.item = plan.item;
  walk.has_kernel = plan.item <= 8 && std::has_single_bit(static_cast<std::uint64_t>(plan.item));
  if (walk.has_kernel) walk.log_item = static_cast<std::size_t>(std::countr_zero(static_cast<std::uint64_t>(plan.item)));
  walk.outer.assign(plan.axes.begin(), plan.axes.begin() + static_cast<std::ptrdiff_t>(plan.rank));
  walk.across.count = 1;
  const bool runs = plan.item >= kLongRun;
  walk.inner = walk.outer.back();
  walk.outer.pop_back();
  if (!runs) {
    const auto closest =
        std::ranges::min_element(walk.outer, {}, [](const CopyAxis& a) { return a.from == 0 ? INT64_MAX : magnitude(a.from); });
    if (closest != walk.outer.end() && closest->from != 0 && magnitude(closest->from) < magnitude(walk.inner.from)) {
      walk.across = *closest;
      walk.outer.erase(closest);
    }
  }
  walk.method = runs ? CopyMethod::run : choose_method(walk);
  // Where rows do not begin at cache lines, the lines at both of their ends are written in part: short rows would gain nothing.
  // Nor do bytes, whose tiles take longer to transpose than to write.
  const bool may_stream =
      walk.method != CopyMethod::transpose || lines_up(plan, to) || (walk.item > 1 && walk.inner.count * walk.item >= 8 * kLine);
  if (bytes_of(plan) >= kStreamBytes && may_stream) walk.store = Store::stream;
  // Axes with a small stride in either memory become the innermost of the outer loops.
  std::ranges::stable_sort(walk.outer, std::ranges::greater{},
                           [](const CopyAxis& a) { return std::min(magnitude(a.from), a.to); });
  return walk;
}

void walk_downwards(CopyWalk& walk) {
  walk.across.from = -walk.across.from;
  walk.across.to = -walk.across.to;
  walk.method = choose_method(walk);
}

}  // namespace dlscope::core
