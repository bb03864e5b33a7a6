// Counting the bytes one view touches, and whether it touches any bit twice.
#include <algorithm>
#include <cstddef>
#include <numeric>

#include "core/sharing/costs.h"
#include "core/sharing/joint_window.h"
#include "core/sharing/overlap.h"
#include "core/sharing/prepared_set.h"
#include "core/sharing/row_sweep.h"
#include "core/sharing/run_list.h"
#include "core/sharing/strided_set.h"

namespace dlscope::core {
namespace {

// Removes outer axes whose copies of the inner set cannot meet, so
// that each only multiplies the count. Returns how many axes are left.
std::size_t peel_outer_axes(const StridedSet& set, std::uint64_t& copies) {
  copies = 1;
  std::size_t rank = set.axes.size();
  for (; rank > 1; --rank) {
    const Axis& outer = set.axes[rank - 1];
    std::uint64_t span = span_of(set.axes.first(rank - 1));
    if (!set.in_bytes()) span = (set.phase + span + 7) / 8 * 8;
    if (outer.stride < span || (!set.in_bytes() && outer.stride % 8 != 0)) break;
    copies *= outer.count;
  }
  return rank;
}

// Two progressions of runs that are at most g = gcd(s1, s2) long: the index
// pairs (i, j) and (i + s2/g, j - s1/g) give the same sum, and no others do.
std::optional<std::uint64_t> count_of_two_axes(std::span<const Axis> axes) {
  if (axes.size() != 3) return std::nullopt;
  const std::uint64_t divisor = std::gcd(axes[1].stride, axes[2].stride);
  if (axes[0].count > divisor) return std::nullopt;
  const std::uint64_t twice_1 = axes[2].stride / divisor;
  const std::uint64_t twice_2 = axes[1].stride / divisor;
  std::uint64_t pairs = 0;
  if (__builtin_mul_overflow(axes[1].count, axes[2].count, &pairs)) return std::nullopt;
  if (axes[1].count > twice_1 && axes[2].count > twice_2) pairs -= (axes[1].count - twice_1) * (axes[2].count - twice_2);
  return pairs * axes[0].count;
}

}  // namespace

std::optional<std::uint64_t> count_bytes(const StridedSet& set, const OverlapBudget& budget, std::uint64_t& spent) {
  if (set.empty()) return 0;
  if (const auto nested = count_bytes_if_nested(set)) return nested;
  std::uint64_t copies = 1;
  StridedSet core = set;
  core.axes = set.axes.first(peel_outer_axes(set, copies));
  core.span = span_of(core.axes);
  if (core.in_bytes() && core.axes.size() == 1) return copies * core.span;
  if (core.in_bytes()) {
    if (const auto count = count_of_two_axes(core.axes)) return copies * *count;
  }
  const std::uint64_t unit = unit_of(core);
  const WindowPlan plan(core, core.range(), unit);
  const bool can_build =
      plan.cost_words() <= budget.work && within_budget(budget, core.range().size() / unit, plan.scratch_bytes());
  const SweepPlan sweep = core.in_bytes() ? plan_sweep(plan.window()) : SweepPlan{};
  const bool can_sweep = sweep.possible() && sweep.cost_words <= budget.work && sweep.scratch_bytes <= budget.scratch_bytes;
  const bool sweeps = can_sweep && (!can_build || sweep.cost_words < plan.cost_words());
  const bool fits = can_build || can_sweep;
  const std::uint64_t cost = sweeps ? sweep.cost_words : plan.cost_words();
  const std::uint64_t words = fits ? cost : budget.work;  // the most that a list may cost
  const std::uint64_t runs = tuple_count(core.axes.subspan(1));
  const bool few = runs <= kMaxRuns && runs * sizeof(ByteRange) <= budget.scratch_bytes;
  if (few && runs * kWordsPerRun <= words) {
    spent += runs * kWordsPerRun;
    const auto list = list_runs(core, core.range(), budget.stop);
    if (!list) return std::nullopt;
    return copies * size_of_runs(*list);
  }
  if (!fits || budget.stop.stop_requested()) return std::nullopt;
  spent += cost;
  if (sweeps) {
    const auto count = sweep_count(plan.window(), sweep, budget.stop);
    if (!count) return std::nullopt;
    return copies * *count * unit;
  }
  const auto bits = plan.build(budget.stop);
  const auto count = bits ? count_bits(*bits, budget.stop) : std::nullopt;
  if (!count) return std::nullopt;
  return copies * *count * unit;
}

std::optional<std::uint64_t> distinct_bytes(const MemoryView& view, const OverlapBudget& budget) {
  if (view.extent.empty()) return 0;
  AxisStorage storage;
  std::uint64_t spent = 0;
  return count_bytes(bytes_of(view, storage), budget, spent);
}

std::optional<bool> self_overlaps(LayoutView layout, const OverlapBudget& budget) {
  AxisStorage storage;
  storage.axes[0] = {1, layout.item_bits};
  std::size_t rank = 1;
  bool repeats = false;
  for (std::size_t d = 0; d < layout.shape.size(); ++d) {
    const std::int64_t count = layout.shape[d];
    const std::int64_t stride = layout.stride_bits[d];
    if (count == 0) return false;
    if (count == 1) continue;
    repeats |= stride == 0;
    storage.axes[rank++] = {static_cast<std::uint64_t>(stride < 0 ? -stride : stride), static_cast<std::uint64_t>(count)};
  }
  if (repeats) return true;
  const auto axes = std::span(storage.axes).first(rank);
  std::ranges::sort(axes, {}, &Axis::stride);
  if (is_nested(axes)) return false;
  // More index tuples than bits: some overlap (pigeonhole principle). Otherwise count. The layout is treated as if its bits were
  // bytes; unit_of() finds the largest common unit, so whole-byte layouts cost no more.
  const std::uint64_t tuples = tuple_count(axes);
  StridedSet set;
  set.axes = axes;
  set.span = span_of(axes);
  if (tuples > set.span) return true;
  std::uint64_t spent = 0;
  const std::optional<std::uint64_t> distinct = count_bytes(set, budget, spent);
  if (!distinct) return std::nullopt;
  return *distinct != tuples;
}

}  // namespace dlscope::core
