#include "core/sharing/touch_count.h"

#include <algorithm>
#include <array>
#include <map>
#include <numeric>
#include <utility>

#include "core/base/checked_math.h"
#include "core/sharing/costs.h"
#include "core/sharing/row_sweep.h"
#include "core/sharing/run_list.h"
#include "core/sharing/stop_watch.h"
#include "core/sharing/strided_set.h"

namespace dlscope::core {
namespace {

constexpr std::uint64_t kFewElements = 1024;                     // up to here listing is cheaper than any other method
constexpr std::uint64_t kMaxElements = std::uint64_t{1} << 22;  // that may be listed
constexpr std::uint64_t kWordsPerElement = 64;                  // cost of listing one

std::uint64_t elements_of(LayoutView layout) {
  std::uint64_t elements = 1;
  for (const std::int64_t n : layout.shape) elements *= static_cast<std::uint64_t>(n);
  return elements;
}

// Collects stretches of equal counts, given in ascending order, into the table of counts and the runs of the window.
class Touches {
 public:
  Touches(ByteRange window, std::size_t most_runs) : window_(window), most_runs_(most_runs) {}

  void add(ByteRange bytes, std::uint64_t times) {
    if (times == 0 || bytes.empty()) return;
    counts_[times] += bytes.size();
    bytes = {std::max(bytes.begin, window_.begin), std::min(bytes.end, window_.end)};
    if (bytes.begin >= bytes.end) return;
    if (!out_.runs.empty() && out_.runs.back().bytes.end == bytes.begin && out_.runs.back().times == times) {
      out_.runs.back().bytes.end = bytes.end;
    } else if (out_.runs.size() < most_runs_) {
      out_.runs.push_back({bytes, times});
    } else {
      out_.has_all_runs = false;
    }
  }
  TouchCount result() {
    for (const auto& [times, bytes] : counts_) out_.counts.push_back({times, bytes});
    return std::move(out_);
  }

 private:
  ByteRange window_;
  std::size_t most_runs_;
  std::map<std::uint64_t, std::uint64_t> counts_;
  TouchCount out_;
};

// The item's bytes and the axes with positive strides, sorted by stride. Unlike in a StridedSet, axes are not merged, because an
// axis that reaches into another one touches its bytes again. A stride of 0 multiplies all counts.
struct RawAxes {
  AxisStorage storage;
  std::size_t rank = 1;
  std::uint64_t times = 1;
  bool in_bytes = true;

  explicit RawAxes(LayoutView layout) : in_bytes(layout.item_bits % 8 == 0) {
    storage.axes[0] = {1, layout.item_bits / 8};
    for (std::size_t d = 0; d < layout.shape.size(); ++d) {
      const auto count = static_cast<std::uint64_t>(layout.shape[d]);
      const std::int64_t stride = layout.stride_bits[d];
      if (count == 1) continue;
      if (stride == 0) {
        times *= count;
        continue;
      }
      in_bytes &= stride % 8 == 0;
      storage.axes[rank++] = {static_cast<std::uint64_t>(stride < 0 ? -stride : stride) / 8, count};
    }
    std::ranges::sort(std::span(storage.axes).subspan(1, rank - 1), {}, &Axis::stride);
  }
  [[nodiscard]] std::span<const Axis> axes() const { return std::span(storage.axes).first(rank); }
};

std::optional<TouchCount> by_closed_form(const MemoryView& view, const RawAxes& raw, ByteRange window, std::size_t most_runs,
                                         const OverlapBudget& budget) {
  AxisStorage storage;
  const StridedSet set = bytes_of(view, storage);
  TouchCount out;
  out.counts = {{raw.times, tuple_count(raw.axes())}};
  const ByteRange inside{std::max(window.begin, set.base), std::min(window.end, set.end())};
  if (inside.begin >= inside.end) return out;
  if (runs_to_visit(set, inside) > std::min(kMaxRuns, budget.work / kWordsPerRun)) {
    out.has_all_runs = false;
    return out;
  }
  const auto runs = list_runs(set, inside, budget.stop);
  if (!runs) return std::nullopt;
  out.has_all_runs = runs->size() <= most_runs;
  for (std::size_t i = 0; i < std::min(most_runs, runs->size()); ++i) out.runs.push_back({(*runs)[i], raw.times});
  return out;
}

std::optional<TouchCount> by_row_sweep(const MemoryView& view, RawAxes& raw, ByteRange window, std::size_t most_runs,
                                       const OverlapBudget& budget) {
  std::uint64_t unit = raw.storage.axes[0].count;
  for (const Axis& axis : raw.axes().subspan(1)) unit = std::gcd(unit, axis.stride);
  raw.storage.axes[0].count /= unit;
  for (std::size_t i = 1; i < raw.rank; ++i) raw.storage.axes[i].stride /= unit;
  const std::uint64_t span = span_of(raw.axes());
  const SumWindow whole{raw.axes(), 0, span, 0};
  const SweepPlan plan = plan_sweep(whole);
  // The cost of visiting every unit of the view once more, to report its count.
  if (!plan.possible() || plan.cost_words + span > budget.work || plan.scratch_bytes > budget.scratch_bytes) return std::nullopt;
  Touches touches(window, most_runs);
  const Address base = view.extent.begin;
  const bool done = sweep_covers(whole, plan, budget.stop, [&](std::uint64_t first, std::span<const std::uint32_t> covers) {
    for (std::size_t i = 0; i < covers.size();) {
      std::size_t end = i + 1;
      while (end < covers.size() && covers[end] == covers[i]) ++end;
      touches.add({base + (first + i) * unit, base + (first + end) * unit}, covers[i] * raw.times);
      i = end;
    }
  });
  if (!done) return std::nullopt;
  return touches.result();
}

}  // namespace

std::optional<TouchCount> count_touches_by_listing(const MemoryView& view, ByteRange window, std::size_t most_runs,
                                                   const OverlapBudget& budget) {
  if (view.extent.empty()) return TouchCount{};
  const std::uint64_t elements = elements_of(view.layout);
  struct Change {  // of the count, at this byte
    Address at;
    std::int64_t by;
  };
  if (elements > kMaxElements || elements * kWordsPerElement > budget.work) return std::nullopt;
  if (2 * elements * sizeof(Change) > budget.scratch_bytes) return std::nullopt;
  std::vector<Change> changes;
  changes.reserve(2 * elements);
  std::array<std::int64_t, kMaxRank> index{};
  const std::span<std::int64_t> used(index.data(), view.layout.shape.size());
  for (std::uint64_t flat = 0; flat < elements; ++flat) {
    if (flat % 4096 == 0 && budget.stop.stop_requested()) return std::nullopt;
    unravel(view.layout, flat, used);
    std::int64_t bit = 0;
    for (std::size_t d = 0; d < used.size(); ++d) bit += used[d] * view.layout.stride_bits[d];
    changes.push_back({view.address + static_cast<Address>(floor_div(bit, 8)), 1});
    changes.push_back({view.address + static_cast<Address>(ceil_div(bit + view.layout.item_bits, 8)), -1});
  }
  StopWatch watch(budget.stop);
  // From the lowest byte on, because the last element may end where the addresses begin again.
  if (!sort_unless_stopped(changes, watch, [&](const Change& change) { return change.at - view.extent.begin; }))
    return std::nullopt;
  Touches touches(window, most_runs);
  std::int64_t times = 0;
  for (std::size_t i = 0; i + 1 < changes.size(); ++i) {
    if (!watch.go_on(16)) return std::nullopt;
    times += changes[i].by;
    if (changes[i].at != changes[i + 1].at) touches.add({changes[i].at, changes[i + 1].at}, static_cast<std::uint64_t>(times));
  }
  return touches.result();
}

std::optional<TouchCount> count_touches(const MemoryView& view, ByteRange window, std::size_t most_runs,
                                        const OverlapBudget& budget) {
  if (view.extent.empty()) return TouchCount{};
  RawAxes raw(view.layout);
  if (raw.in_bytes && is_nested(raw.axes())) return by_closed_form(view, raw, window, most_runs, budget);
  if (!raw.in_bytes || elements_of(view.layout) <= kFewElements) return count_touches_by_listing(view, window, most_runs, budget);
  return by_row_sweep(view, raw, window, most_runs, budget);
}

}  // namespace dlscope::core
